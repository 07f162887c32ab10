import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { sendPounds, sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { openRounds, startFundingWorld, untilDeposit, untilFunded } from '../funding/topping-up.ts';
import { cancelPayout, createPayout } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import type { TestPartner } from '../harness/partners.ts';
import { untilQuiet } from '../harness/waits.ts';
import { listCasesOf, listPaymentsOf, openReconciling, passCutOff } from './reconciling.ts';

// Payments stay under way until a test lets them go.
const world = await startFundingWorld({ settleAfterMs: 3_600_000 });
const { bank, database } = world;
const round = await openRounds(database);
const reconcile = openReconciling(world);

function clientOf({ key }: TestPartner) {
  return { url: world.api.url, key };
}

/** Whatever the bank has settled by then, it refuses to settle again. */
async function settle(paymentId: string): Promise<void> {
  await bank.control(`/transfers/${paymentId}/settle`).catch((error: unknown) => {
    assert.match(String(error), /invalid_state/);
  });
}

async function settleAll(partner: TestPartner): Promise<void> {
  for (const { paymentId, state } of await listPaymentsOf(database, partner))
    if (state === 'processing') await settle(paymentId);
  await untilQuiet(database);
}

test('payouts and deposits that are under way are no differences, however long they are', async () => {
  const partner = await world.addPartner();
  await round('open-funding');
  const places = await untilFunded(database, partner);
  for (let n = 0; n < 5; n += 1) assert.equal((await createPayout(clientOf(partner))).status, 201);
  await sendPounds(bank, places.accountId);
  const atOnce = await reconcile(partner);
  assert.deepEqual([atOnce.state, atOnce.differences], ['clean', 0]);
  await passCutOff(world);
  const later = await reconcile(partner);
  assert.deepEqual([later.state, later.differences, later.transfers], ['clean', 0, 0]);
  assert(later.inFlight >= 5, JSON.stringify(later));
  await settleAll(partner);
  // They have just ended: not before the cut-off.
  const justEnded = await reconcile(partner);
  assert.deepEqual([justEnded.state, justEnded.transfers], ['clean', 0]);
  await passCutOff(world);
  const ended = await reconcile(partner);
  assert.deepEqual([ended.state, ended.transfers, ended.differences], ['clean', 5, 0]);
});

test('a payout of which we do not know whether the bank has it is no difference, and its money is explained', async () => {
  const partner = await world.addPartner();
  // Nobody finds out.
  await world.worker?.stop();
  await bank.control('/faults', { on: 'transfer.create', kind: 'drop_reply', times: 1 });
  const { status } = await createPayout(clientOf(partner));
  assert.equal(status, 201);
  const report = await reconcile(partner);
  assert.equal(report.differences, 0, JSON.stringify(report));
  await bank.control('DELETE /faults');
  await world.restartWorker();
  await eventually('we know of it', async () => (await listPaymentsOf(database, partner)).length === 1);
  await settleAll(partner);
});

test('a payout that was cancelled is no difference, and is compared', async () => {
  const partner = await world.addPartner();
  const { id } = await createPayout(clientOf(partner));
  const [payment] = await listPaymentsOf(database, partner);
  assert(payment !== undefined);
  await bank.control(`/transfers/${payment.paymentId}/hold`, { state: 'awaiting_funds' });
  const cancelled = await cancelPayout(clientOf(partner), id);
  assert.deepEqual([cancelled.status, cancelled.payout], [200, 'cancelled']);
  await passCutOff(world);
  const report = await reconcile(partner);
  assert.deepEqual([report.state, report.transfers, report.differences], ['clean', 1, 0]);
});

test('while payouts are made and settle all the time, runs find nothing', async () => {
  const partner = await world.addPartner();
  await round('open-funding');
  const places = await untilFunded(database, partner);
  const paid = { isOver: false, made: 0 };
  const pay = async (): Promise<void> => {
    while (!paid.isOver) {
      const { status } = await createPayout(clientOf(partner));
      assert.equal(status, 201);
      paid.made += 1;
      if (paid.made % 3 === 0) await settleNewest(partner);
      if (paid.made % 10 === 0) await sendUsdc(bank, places.addressId, '10.01');
    }
  };
  const paying = pay();
  for (let runs = 0; runs < 4 || paid.made < 60; runs += 1) {
    const { state, differences } = await reconcile(partner, { everything: true });
    assert.deepEqual([state, differences], ['clean', 0]);
  }
  paid.isOver = true;
  await paying;
  await settleAll(partner);
  await passCutOff(world);
  await round();
  const quiet = await reconcile(partner, { everything: true });
  assert.deepEqual([quiet.state, quiet.differences, await listCasesOf(database, partner)], ['clean', 0, []]);
});

async function settleNewest(partner: TestPartner): Promise<void> {
  const newest = (await listPaymentsOf(database, partner)).at(-1);
  if (newest?.state === 'processing') await settle(newest.paymentId);
}

test('a cent that is missing shows beside what is under way', async () => {
  const partner = await world.addPartner();
  for (let n = 0; n < 3; n += 1) assert.equal((await createPayout(clientOf(partner))).status, 201);
  await passCutOff(world);
  assert.equal((await reconcile(partner)).state, 'clean');
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: -10_000 });
  assert.equal((await reconcile(partner)).state, 'differences');
  const cases = await listCasesOf(database, partner);
  assert.deepEqual(
    cases.map(({ kind, difference }) => [kind, difference]),
    [['wallet_balance', '-10000']],
  );
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: 10_000 });
  await settleAll(partner);
});

test('one that the bank has settled long ago and we still wait for is a difference', async () => {
  const partner = await world.addPartner();
  await createPayout(clientOf(partner));
  const [payment] = await listPaymentsOf(database, partner);
  assert(payment !== undefined);
  await world.worker?.stop();
  await bank.control('/webhooks', { mode: 'lose' });
  await bank.control(`/transfers/${payment.paymentId}/settle`);
  assert.equal((await reconcile(partner)).differences, 0);
  await passCutOff(world);
  assert.equal((await reconcile(partner)).differences, 1);
  await bank.control('/webhooks', { mode: 'normal' });
  await world.restartWorker();
  await untilQuiet(database);
  await passCutOff(world);
  assert.equal((await reconcile(partner)).state, 'clean');
  const [one] = await listCasesOf(database, partner);
  assert.deepEqual([one?.kind, one?.state], ['transfer_state', 'gone']);
});

test('a bank that does not answer for transfers makes a run incomplete: none is gone, and the wallet is compared all the same', async () => {
  const partner = await world.addPartner();
  await createPayout(clientOf(partner));
  await settleAll(partner);
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: 1 });
  await passCutOff(world);
  assert.equal((await reconcile(partner)).state, 'differences');
  await bank.control('/faults', { on: 'transfer.read', kind: 'truncated', times: 4 });
  const silent = await reconcile(partner);
  assert.deepEqual([silent.state, silent.incomplete], ['incomplete', 1]);
  const [one] = await listCasesOf(database, partner);
  assert.deepEqual([one?.state, one?.seen], ['open', 2]);
  assert.equal((await reconcile(partner)).state, 'differences');
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: -1 });
});

test('two runs at once open one case for one difference', async () => {
  const partner = await world.addPartner();
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: 10_000 });
  const reports = await Promise.all([reconcile(partner), reconcile(partner), reconcile(partner)]);
  assert.deepEqual(
    reports.map(({ state }) => state),
    ['differences', 'differences', 'differences'],
  );
  const [one, ...others] = await listCasesOf(database, partner);
  assert.deepEqual([one?.seen, others], [3, []]);
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: -10_000 });
});

test('a dry run finds the same, and writes nothing', async () => {
  const partner = await world.addPartner();
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: 10_000 });
  const report = await reconcile(partner, { dryRun: true });
  assert.deepEqual([report.state, report.differences], ['differences', 1]);
  assert.deepEqual(await listCasesOf(database, partner), []);
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: -10_000 });
});

test('after all of that, everything still holds', async () => {
  await untilQuiet(database);
  await round();
  for (const { deposit_id: id } of (await bank.record()).credits) await untilDeposit(database, id, 'credited');
  await assertAllHolds(world);
});
