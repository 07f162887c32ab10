import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { openFloating, usdc } from './floating.ts';
import { balanceOf, openRounds, startFundingWorld, untilDeposit, untilFunded } from './topping-up.ts';

// Kelpie's own wallet at the bank, and what of it partners' bank wallets get. The bank's own figures judge.

const world = await startFundingWorld({ environment: 'live', settleAfterMs: 200, withFloat: true });
const { bank, database } = world;
const round = await openRounds(database);
const { atBank, balanced, cushionOf, holdsOfFloat, movesOf, newPartner, payAt } = openFloating(world, round);

async function assertHolds(): Promise<void> {
  await untilQuiet(database);
  await assertAllHolds(world);
}

test('a rate that drifts by less than one in a hundred leaves no wallet with money that the bank lacks', async () => {
  const { partner, client } = await newPartner();
  const before = await holdsOfFloat();
  for (let n = 0; n < 3; n += 1) await payAt(client, '2000.00', usdc(22));
  await balanced();
  const cushion = await cushionOf(partner);
  assert(cushion >= 0n && cushion <= usdc(10), `${cushion}`);
  assert.equal(await holdsOfFloat(), before - usdc(66) - cushion);
  // All that the wallet shows can be paid: (1,850.00 + 9.75) / 0.79 = 2,354.12
  const rest = await createPayout(client, payoutBody({ amount_gbp: '1850.00' }));
  assert.equal(rest.status, 201, rest.text);
  await assertHolds();
});

test('what gains leave in a bank wallet is swept, once it is worth a transfer', async () => {
  const { partner, client } = await newPartner();
  const before = await holdsOfFloat();
  await payAt(client, '4000.00', -usdc(40));
  await balanced();
  assert.deepEqual(await movesOf(partner), [], '40.00 USDC are left where they are');
  await payAt(client, '2000.00', -usdc(20));
  await balanced();
  assert.deepEqual(await movesOf(partner), [`sweep done ${usdc(50)}`]);
  assert.equal(await holdsOfFloat(), before + usdc(50));
  assert.equal(await cushionOf(partner), usdc(10));
  await assertHolds();
});

test('a debt is covered by the float, and what repays it goes back there', async () => {
  const { partner, client } = await newPartner();
  await round('open-funding');
  const { addressId } = await untilFunded(database, partner);
  const deposit = await sendUsdc(bank, addressId, '500.01');
  await untilDeposit(database, deposit, 'credited');
  await payAt(client, '8200.00', 0n);
  const left = await balanceOf(database, partner);
  await bank.control(`/deposits/${deposit}/refund`);
  await untilDeposit(database, deposit, 'reversed');
  const owed = usdc(500) - left;
  await balanced();
  assert.equal(await atBank(partner.walletId), usdc(10), 'the bank was owed as much as the partner owes');
  await untilDeposit(database, await sendUsdc(bank, addressId, '1000.01'), 'credited');
  await balanced();
  assert.deepEqual(await movesOf(partner), [`top_up done ${owed + usdc(10)}`, `sweep done ${owed}`]);
  assert.equal(await cushionOf(partner), usdc(10));
  await assertHolds();
});

for (const kind of ['error_before', 'error_after', 'drop_request', 'drop_reply', 'truncated', 'html']) {
  test(`a top-up of which the bank's answer is lost happens once: ${kind}`, async () => {
    const { partner, client } = await newPartner();
    const before = await holdsOfFloat();
    await payAt(client, '2000.00', usdc(21));
    await bank.control('/faults', { on: 'transfer.create', kind, times: 1 });
    await balanced();
    await bank.control('DELETE /faults');
    assert.deepEqual(await movesOf(partner), [`top_up done ${usdc(31)}`]);
    assert.equal(await holdsOfFloat(), before - usdc(31));
    await assertHolds();
  });
}

test('a top-up that the bank refuses is booked back, raises an alarm, and waits an hour', async () => {
  const { partner, client } = await newPartner();
  const before = await holdsOfFloat();
  await bank.control(`/wallets/${world.float?.walletId ?? ''}/adjust`, { micro_usdc: Number(-before) });
  await payAt(client, '2000.00', usdc(21));
  await balanced();
  assert.deepEqual(await movesOf(partner), [`top_up failed ${usdc(31)}`]);
  await eventually('alarms', async () => {
    const said = world.worker?.output() ?? '';
    return said.includes('float.refused') && said.includes('float.low');
  });
  await bank.control(`/wallets/${world.float?.walletId ?? ''}/adjust`, { micro_usdc: Number(before) });
  await balanced();
  assert.equal((await movesOf(partner)).length, 1, 'not within the hour');
  await passTime(world, 61 * 60_000);
  await balanced();
  assert.deepEqual(await movesOf(partner), [`top_up failed ${usdc(31)}`, `top_up done ${usdc(31)}`]);
  await assertHolds();
});
