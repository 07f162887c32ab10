import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelPayout } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import {
  assertKilled,
  killAtFailpoint,
  killsAt,
  newKeys,
  payoutsAKill,
  pointsOf,
  startCrashWorld,
} from './crashing.ts';

// What can be killed once the bank has a payment. This bank settles nothing by itself.

const minute = 60_000;
const { world, clock, client, askAgain } = await startCrashWorld({ settleAfterMs: 24 * 60 * minute });

async function newestTransfers(): Promise<string[]> {
  return (await world.bank.record()).payments.slice(-payoutsAKill).map(({ transfer_id: id }) => id);
}

for (const point of pointsOf('looking', 'worker')) {
  test(`faults 2: a worker killed at ${point}, while it looks what became of a payment, leaves it to the next one`, async () => {
    for (let kill = 0; kill < killsAt(point); kill += 1) {
      await world.worker?.stop();
      const acknowledged = await askAgain(newKeys());
      const transfers = await newestTransfers();
      clock.move(5 * minute);
      await assertKilled(await world.restartWorker(killAtFailpoint(point)));
      for (const id of transfers) await world.bank.control(`/transfers/${id}/settle`);
      await world.restartWorker();
      clock.move(5 * minute);
      await untilQuiet(world.database);
      await assertAllHolds({ ...world, acknowledged });
    }
  });
}

for (const point of pointsOf('cancelling', 'api')) {
  test(`faults 1: an api killed at ${point} leaves a payout to be cancelled once, by whoever is asked next`, async () => {
    for (let kill = 0; kill < killsAt(point); kill += 1) {
      const api = await world.restartApi(killAtFailpoint(point));
      const ids = await askAgain(newKeys());
      for (const id of await newestTransfers())
        await world.bank.control(`/transfers/${id}/hold`, { state: 'awaiting_funds' });
      await Promise.allSettled(ids.map(async (id) => cancelPayout(client(), id)));
      await assertKilled(api);
      await world.restartApi();
      clock.move(5 * minute);
      const again = await Promise.all(ids.map(async (id) => cancelPayout(client(), id)));
      for (const { status, payout, text } of again) assert.deepEqual([status, payout], [200, 'cancelled'], text);
      await untilQuiet(world.database);
      await assertAllHolds({ ...world, acknowledged: ids });
    }
  });
}
