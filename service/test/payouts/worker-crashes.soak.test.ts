import { test } from 'node:test';
import { assertKilled, killAtFailpoint, killsAt, newKeys, pointsOf, startCrashWorld } from './crashing.ts';

const { world, clock, orderAndDie, recover, leaseIsOver } = await startCrashWorld({ settleAfterMs: 100 });
const day = 24 * 3_600_000;

for (const point of pointsOf('resuming', 'worker')) {
  test(`faults 2: a worker killed at ${point} leaves every payout to the next one`, async () => {
    for (let kill = 0; kill < killsAt(point); kill += 1) {
      const keys = newKeys();
      await world.worker?.stop();
      // Left by an api right after its first commit.
      await orderAndDie('bank.register_recipient.before', keys);
      leaseIsOver();
      // One sweep looks once and takes them all at once.
      const isOnce = /next_due_work|claim_due_payouts/.test(point);
      await assertKilled(await world.restartWorker(killAtFailpoint(point, isOnce ? 1 : keys.length)));
      await world.restartWorker();
      await recover(keys);
    }
  });
}

for (const point of pointsOf('searching', 'worker')) {
  test(`a worker killed at ${point}, while it searches the bank's list a day later, sends nothing again`, async () => {
    for (let kill = 0; kill < killsAt(point); kill += 1) {
      const keys = newKeys();
      await world.worker?.stop();
      await orderAndDie('bank.send_payment.after', keys);
      clock.move(day);
      await assertKilled(await world.restartWorker(killAtFailpoint(point)));
      await world.restartWorker();
      await recover(keys);
    }
  });
}
