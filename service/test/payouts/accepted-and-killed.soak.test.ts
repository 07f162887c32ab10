import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAllHolds } from '../harness/invariants.ts';
import { atSize } from '../harness/sizes.ts';
import { untilQuiet } from '../harness/waits.ts';
import { newKeys, startCrashWorld } from './crashing.ts';

const payoutsAKill = 200;
const payouts = atSize(1_000);
const kills = payouts / payoutsAKill;
const { world, askAgain, orderAndDie, leaseIsOver, clock } = await startCrashWorld({
  settleAfterMs: 100,
  withoutWebhooks: true,
});

test(`faults 3: of ${payouts} payouts whose api was killed after the bank accepted and before it wrote that, none is paid twice and none is lost`, async () => {
  const acknowledged: string[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const keys = newKeys(payoutsAKill);
    await orderAndDie('bank.send_payment.after', keys);
    await world.restartApi();
    leaseIsOver();
    await untilQuiet(world.database, { timeoutMs: 1_000 }).catch(() => undefined);
    acknowledged.push(...(await askAgain(keys)));
  }
  clock.move(5 * 60_000);
  await untilQuiet(world.database, { timeoutMs: 90_000 });
  assert((await world.bank.record()).payments.length >= payouts);
  await assertAllHolds({ ...world, acknowledged });
});
