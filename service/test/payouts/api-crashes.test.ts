import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { kills, newKeys, pointsOf, startCrashWorld } from './crashing.ts';

const { world, askAgain, orderAndDie, recover, leaseIsOver } = await startCrashWorld(100);

for (const point of pointsOf('creating', 'api')) {
  test(`an api killed at ${point} leaves every payout to happen once or not at all`, async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      const keys = newKeys();
      await orderAndDie(point, keys);
      await recover(keys);
    }
  });
}

test('faults 3: of 1,000 payouts whose api was killed after the bank accepted and before it wrote that, none is paid twice and none is lost', async () => {
  const acknowledged: string[] = [];
  for (let kill = 0; kill < 20; kill += 1) {
    const keys = newKeys(50);
    await orderAndDie('bank.send_payment.after', keys);
    leaseIsOver();
    await world.restartApi();
    acknowledged.push(...(await askAgain(keys)));
  }
  await untilQuiet(world.database, { timeoutMs: 60_000 });
  assert((await world.bank.record()).payments.length >= 1_000);
  await assertAllHolds({ ...world, acknowledged });
});
