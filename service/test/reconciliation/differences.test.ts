import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { sendPounds, sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { openRounds, startFundingWorld, untilDeposit, untilFunded, type Places } from '../funding/topping-up.ts';
import { bankOf, createPayout, getPayout, payoutBody } from '../harness/client.ts';
import type { TestPartner } from '../harness/partners.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { untilQuiet } from '../harness/waits.ts';
import { listCasesOf, listPaymentsOf, openReconciling, passCutOff } from './reconciling.ts';

const world = await startFundingWorld({ settleAfterMs: 100 });
const { bank, database } = world;
const round = await openRounds(database);
const reconcile = openReconciling(world);

interface Paying {
  partner: TestPartner;
  places: Places;
  payments: { id: string; paymentId: string; took: bigint }[];
  deposits: string[];
}

/** A partner with three payouts and two top-ups that are over, and one clean run behind it. */
async function clean(): Promise<Paying> {
  const partner = await world.addPartner();
  await round('open-funding');
  const places = await untilFunded(database, partner);
  const client = { url: world.api.url, key: partner.key };
  for (let n = 0; n < 3; n += 1) assert.equal((await createPayout(client)).status, 201);
  const deposits = [await sendPounds(bank, places.accountId), await sendUsdc(bank, places.addressId)];
  for (const id of deposits) await untilDeposit(database, id, 'credited');
  await untilQuiet(database);
  await passCutOff(world);
  const report = await reconcile(partner);
  assert.deepEqual([report.state, report.transfers, report.deposits, report.differences], ['clean', 3, 2, 0]);
  return { partner, places, payments: await listPaymentsOf(database, partner), deposits };
}

/** What the next run finds, and that the one after it finds the same and makes no more of it. */
async function found({ partner }: Pick<Paying, 'partner'>) {
  await passCutOff(world);
  const report = await reconcile(partner);
  const cases = await listCasesOf(database, partner);
  assert.equal(report.state, cases.length === 0 ? 'clean' : 'differences');
  const again = await reconcile(partner, { everything: true });
  assert.equal(again.differences, report.differences);
  const seen = await listCasesOf(database, partner);
  assert.deepEqual(
    seen.map(({ id, seen: times, steps }) => [id, times, steps]),
    cases.map(({ id }) => [id, 2, ['opened']]),
  );
  return cases.map(({ kind, subject, related, difference }) => ({ kind, subject, related, difference }));
}

test('faults 60: a payment that the bank has lost is found by the next run; found again it is gone, and lost again it is back', async () => {
  const paying = await clean();
  const [lost] = paying.payments;
  assert(lost !== undefined);
  await bank.control(`/transfers/${lost.paymentId}/forget`);
  assert.deepEqual(await found(paying), [
    { kind: 'transfer_missing', subject: lost.paymentId, related: lost.id, difference: lost.took.toString() },
  ]);
  await bank.control(`/transfers/${lost.paymentId}/remember`);
  assert.equal((await reconcile(paying.partner)).state, 'clean');
  const [gone] = await listCasesOf(database, paying.partner);
  assert.deepEqual([gone?.state, gone?.steps], ['gone', ['opened', 'gone']]);
  await bank.control(`/transfers/${lost.paymentId}/forget`);
  assert.equal((await reconcile(paying.partner)).state, 'differences');
  const [back] = await listCasesOf(database, paying.partner);
  assert.deepEqual([back?.id, back?.state, back?.steps], [gone?.id, 'open', ['opened', 'gone', 'back']]);
});

/** A payout after the clean run. */
async function payOnceMore({ partner }: Paying): Promise<{ id: string; paymentId: string; took: bigint }> {
  const { id } = await createPayout({ url: world.api.url, key: partner.key });
  await untilQuiet(database);
  const payment = (await listPaymentsOf(database, partner)).find((one) => one.id === id);
  assert(payment !== undefined);
  return payment;
}

test('an order that the bank has paid twice is found by the next run, and so is the money that is gone', async () => {
  const paying = await clean();
  const payment = await payOnceMore(paying);
  await bank.control(`/transfers/${payment.paymentId}/double`);
  const cases = await found(paying);
  assert.deepEqual(
    cases.map(({ kind, related, difference }) => [kind, related, difference]),
    [
      ['transfer_doubled', payment.id, (-payment.took).toString()],
      ['wallet_balance', null, (-payment.took).toString()],
    ],
  );
});

test('an amount that the bank states otherwise is found by the next run', async () => {
  const paying = await clean();
  const payment = await payOnceMore(paying);
  await bank.control(`/transfers/${payment.paymentId}/misstate`, { micro_usdc: Number(payment.took) + 10_000 });
  assert.deepEqual(await found(paying), [
    { kind: 'transfer_amount', subject: payment.paymentId, related: payment.id, difference: '-10000' },
  ]);
});

test('a state that the bank tells otherwise is found by the next run', async () => {
  const paying = await clean();
  for (const state of ['undeliverable', 'pending', 'error']) {
    const payment = await payOnceMore(paying);
    await bank.control(`/transfers/${payment.paymentId}/misstate`, { state });
    await passCutOff(world);
    assert.equal((await reconcile(paying.partner)).state, 'differences');
    const cases = await listCasesOf(database, paying.partner);
    const own = cases.find(({ subject }) => subject === payment.paymentId);
    assert.deepEqual([own?.kind, own?.related, own?.difference], ['transfer_state', payment.id, '0'], state);
  }
});

test('faults 60: a payment that nobody ordered is found by the next run, and so is the money that is gone', async () => {
  const paying = await clean();
  await bank.control(`/wallets/${paying.partner.walletId}/stray-transfer`);
  const cases = await found(paying);
  assert.deepEqual(
    cases.map(({ kind, related }) => [kind, related]),
    [
      ['transfer_unknown', null],
      ['wallet_balance', null],
    ],
  );
  assert.equal(cases[0]?.difference, cases[1]?.difference);
});

test('faults 38: a payment to another recipient is found by the next run, and gone once the bank has the right one', async (t) => {
  const paying = await clean();
  const payment = await payOnceMore(paying);
  t.after(async () => bank.control('DELETE /faults'));
  await bank.control('/faults', { on: 'transfer.read', kind: 'other_account' });
  const cases = await found(paying);
  assert(cases.every(({ kind, difference }) => kind === 'transfer_recipient' && difference === '0'));
  assert(cases.some(({ subject, related }) => subject === payment.paymentId && related === payment.id));
  await bank.control('DELETE /faults');
  assert.equal((await reconcile(paying.partner)).state, 'clean');
  assert((await listCasesOf(database, paying.partner)).every(({ state }) => state === 'gone'));
});

test('faults 59: a recipient that was copied to another payout is found by the next run', async () => {
  const paying = await clean();
  const payment = await payOnceMore(paying);
  await asAdmin(database.superuserUrl, async (admin) => {
    // Past the trigger that keeps what was ordered, as only a superuser can.
    await admin.query('set session_replication_role = replica');
    await admin.query(
      `update kelpie.payouts set revision = revision + 1, account_index = sha256('another account') where id = $1`,
      [payment.id],
    );
  });
  assert.deepEqual(await found(paying), [
    { kind: 'transfer_recipient', subject: payment.paymentId, related: payment.id, difference: '0' },
  ]);
});

test('a wallet that is off by a cent is found by the next run, either way', async () => {
  for (const cent of [10_000, -10_000]) {
    const paying = await clean();
    await bank.control(`/wallets/${paying.partner.walletId}/adjust`, { micro_usdc: cent });
    assert.deepEqual(await found(paying), [
      { kind: 'wallet_balance', subject: paying.partner.walletId, related: null, difference: String(cent) },
    ]);
  }
});

test('a deposit that the bank has lost, and one that it states otherwise, are found', async () => {
  const paying = await clean();
  const [lost, other] = [
    await sendPounds(bank, paying.places.accountId),
    await sendUsdc(bank, paying.places.addressId, '20.01'),
  ];
  await round();
  for (const id of [lost, other]) await untilDeposit(database, id, 'credited');
  // A worker that read the new amount between two runs would note it, and what has just changed is not compared.
  await world.worker?.stop();
  await bank.control(`/deposits/${lost}/forget`);
  await bank.control(`/deposits/${other}/misstate`, { micro_usdc: 20_010_000 });
  const cases = await found(paying);
  assert.deepEqual(cases.map(({ kind, subject, difference }) => [kind, subject, difference]).slice(0, 1), [
    ['deposit_amount', other, '10000'],
  ]);
  assert.deepEqual([cases[1]?.kind, cases[1]?.subject, cases.length], ['deposit_missing', lost, 2]);
  await world.restartWorker();
});

test('a deposit that the bank has and we do not know is found by the next run, and so is its money; once read, both are gone', async () => {
  const paying = await clean();
  // Nobody reads what comes there.
  await world.worker?.stop();
  const unknown = await sendUsdc(bank, paying.places.addressId, '30.01');
  await eventually('the bank has it', async () =>
    (await bank.record()).credits.some(({ deposit_id: id }) => id === unknown),
  );
  assert.deepEqual(await found(paying), [
    { kind: 'deposit_unknown', subject: unknown, related: null, difference: '30000000' },
    { kind: 'wallet_balance', subject: paying.partner.walletId, related: null, difference: '30000000' },
  ]);
  await world.restartWorker();
  await round();
  await untilDeposit(database, unknown, 'credited');
  await passCutOff(world);
  assert.equal((await reconcile(paying.partner)).state, 'clean');
  const cases = await listCasesOf(database, paying.partner);
  assert.deepEqual(
    cases.map(({ state }) => state),
    ['gone', 'gone'],
  );
});

test('lines that the ledger lacks or has too much of are found, by payout and in the balance', async () => {
  const paying = await clean();
  const payment = await payOnceMore(paying);
  await asAdmin(database.superuserUrl, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(`delete from kelpie.ledger_entries where cause_id = $1 and account = 'bank_wallet'`, [
      payment.id,
    ]);
  });
  assert.deepEqual(await found(paying), [
    {
      kind: 'transfer_amount',
      subject: payment.paymentId,
      related: payment.id,
      difference: (-payment.took).toString(),
    },
    { kind: 'wallet_balance', subject: paying.partner.walletId, related: null, difference: (-payment.took).toString() },
  ]);
});

test('what came back, failed or was taken back is no difference where both say so', async () => {
  const paying = await clean();
  const client = { url: world.api.url, key: paying.partner.key };
  const returned = await payOnceMore(paying);
  await bank.control(`/transfers/${returned.paymentId}/return`, { refund_micro_usdc: Number(returned.took) - 500_000 });
  const [, usdc] = paying.deposits;
  await bank.control(`/deposits/${usdc}/refund`);
  await untilDeposit(database, usdc ?? '', 'reversed');
  const rejected = await createPayout(client, payoutBody({}, bankOf('12340000')));
  assert.equal(rejected.status, 201);
  await eventually('it is returned', async () => (await getPayout(client, returned.id)).payout === 'returned');
  await passCutOff(world);
  const report = await reconcile(paying.partner, { everything: true });
  assert.deepEqual([report.state, report.differences], ['clean', 0]);
});
