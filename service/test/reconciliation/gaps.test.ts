import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { sendPounds, sendUsdc } from '@kelpie/sandbox-bank/test/topping-up.ts';
import { clockShiftedByFile } from '../../src/platform/clock.ts';
import { openRounds, startFundingWorld, untilDeposit, untilFunded, type Places } from '../funding/topping-up.ts';
import { passTime } from '../harness/clock.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import type { TestPartner } from '../harness/partners.ts';
import { untilQuiet } from '../harness/waits.ts';
import { listCasesOf, listPaymentsOf, openReconciling, passCutOff } from './reconciling.ts';

// What a run could miss, or cry about for nothing: what is old, what moves meanwhile, what is too much, what fails.

const world = await startFundingWorld({ settleAfterMs: 100 });
const { bank, database } = world;
const round = await openRounds(database);
const reconcile = openReconciling(world);
const dayMs = 24 * 60 * 60_000;

async function addFunded(): Promise<{ partner: TestPartner; places: Places }> {
  const partner = await world.addPartner();
  await round('open-funding');
  return { partner, places: await untilFunded(database, partner) };
}

async function pay(partner: TestPartner): Promise<{ id: string; paymentId: string }> {
  assert.equal((await createPayout({ url: world.api.url, key: partner.key })).status, 201);
  await untilQuiet(database);
  const payment = (await listPaymentsOf(database, partner)).at(-1);
  assert(payment !== undefined);
  return payment;
}

function daysAgo(days: number): Date {
  return new Date(clockShiftedByFile(world.clock.file).now().getTime() - days * dayMs);
}

async function kindsOf(partner: TestPartner): Promise<string[][]> {
  return (await listCasesOf(database, partner)).map(({ kind, state }) => [kind, state]);
}

test('a bank transfer that is taken back long after it came is no difference where both say so', async () => {
  const { partner, places } = await addFunded();
  const id = await sendPounds(bank, places.accountId);
  await untilDeposit(database, id, 'credited');
  await passCutOff(world);
  assert.equal((await reconcile(partner)).state, 'clean');
  await passTime(world, 8 * dayMs);
  await bank.control(`/deposits/${id}/refund`);
  await round();
  await untilDeposit(database, id, 'reversed');
  await passCutOff(world);
  const report = await reconcile(partner);
  assert.deepEqual([report.state, report.deposits, await kindsOf(partner)], ['clean', 1, []]);
});

test('a case of a deposit stays open for as long as it differs, however old the deposit is', async () => {
  const { partner, places } = await addFunded();
  const id = await sendUsdc(bank, places.addressId, '20.01');
  await untilDeposit(database, id, 'credited');
  await passTime(world, 30 * dayMs);
  // A worker that read the new amount would note it, and what has just changed is not compared.
  await world.worker?.stop();
  await bank.control(`/deposits/${id}/misstate`, { micro_usdc: 20_020_000 });
  for (let runs = 0; runs < 3; runs += 1) {
    assert.equal((await reconcile(partner)).state, 'differences');
    assert.deepEqual(await kindsOf(partner), [['deposit_amount', 'open']]);
  }
  await world.restartWorker();
});

test('lines before the day that a run begins with are still compared by the next one', async () => {
  const partner = await world.addPartner();
  const { paymentId } = await pay(partner);
  // A late webhook would have a worker miss the payment and note it, and what has just changed is not compared.
  await world.worker?.stop();
  await bank.control(`/transfers/${paymentId}/forget`);
  await passTime(world, 9 * dayMs);
  const short = await reconcile(partner, { from: daysAgo(1) });
  assert.deepEqual([short.state, short.differences], ['clean', 0]);
  const silent = await reconcile(partner, {
    from: daysAgo(1),
    seenThrough: (one) => ({ ...one, listPayments: async () => null }),
  });
  assert.equal(silent.state, 'incomplete');
  const next = await reconcile(partner);
  assert.deepEqual([next.state, next.differences], ['differences', 1]);
  assert.deepEqual(await kindsOf(partner), [['transfer_missing', 'open']]);
  await world.restartWorker();
});

test('a payment that comes back while a run looks is no difference, though nobody has told us', async () => {
  const partner = await world.addPartner();
  const { paymentId } = await pay(partner);
  await passCutOff(world);
  await bank.control('/webhooks', { mode: 'lose' });
  let isBack = false;
  const report = await reconcile(partner, {
    seenThrough: (one) => ({
      ...one,
      async readBalance(wallet) {
        if (!isBack) await bank.control(`/transfers/${paymentId}/return`);
        isBack = true;
        return one.readBalance(wallet);
      },
    }),
  });
  await bank.control('/webhooks', { mode: 'normal' });
  assert.deepEqual([isBack, report.state, await kindsOf(partner)], [true, 'clean', []]);
});

test('where far too much differs that is one case, and what the wallet holds is compared all the same', async () => {
  const partner = await world.addPartner();
  await bank.control(`/wallets/${partner.walletId}/adjust`, { micro_usdc: 1_000_000 });
  const at = daysAgo(1);
  const stranger = {
    ourReference: null,
    state: 'arrived' as const,
    bankState: 'payment_processed',
    taken: 5n,
    refunded: null,
    failure: null,
    networkFee: null,
    returnFee: null,
    pays: 1n,
    recipientId: null,
    bankReference: null,
    createdAt: at,
    changedAt: at,
  };
  const payments = Array.from({ length: 1_001 }, (_, n) => ({ ...stranger, id: `stranger-${n}` }));
  const flooded = await reconcile(partner, {
    seenThrough: (one) => ({
      ...one,
      listPayments: async (_customer, _after, since) => ({
        payments: since === undefined ? payments : [],
        next: null,
      }),
    }),
  });
  assert.deepEqual([flooded.state, flooded.differences], ['incomplete', 2]);
  assert.deepEqual(await kindsOf(partner), [
    ['transfers_many', 'open'],
    ['wallet_balance', 'open'],
  ]);
  assert.equal((await reconcile(partner)).state, 'differences');
  assert.deepEqual(await kindsOf(partner), [
    ['transfers_many', 'gone'],
    ['wallet_balance', 'open'],
  ]);
});

test('what the bank does not tell of deposits hides nothing of what it tells of transfers', async () => {
  const { partner } = await addFunded();
  await pay(partner);
  await bank.control(`/wallets/${partner.walletId}/stray-transfer`);
  await passCutOff(world);
  const half = await reconcile(partner, { seenThrough: (one) => ({ ...one, listDeposits: async () => null }) });
  assert.equal(half.state, 'incomplete');
  assert.deepEqual(await kindsOf(partner), [['transfer_unknown', 'open']]);
  assert.equal((await reconcile(partner)).differences, 2);
});

test('a fault with one partner is told, and the partners after it are compared', async () => {
  const partners = [await world.addPartner(), await world.addPartner()];
  const [first, second] = partners.toSorted((a, b) => (a.partnerId < b.partnerId ? -1 : 1));
  assert(first !== undefined && second !== undefined);
  const report = await reconcile(null, {
    seenThrough: (one) => ({
      ...one,
      async readBalance(wallet) {
        if (wallet.walletId === first.walletId) throw new Error('planted');
        return one.readBalance(wallet);
      },
    }),
  });
  assert.equal(report.state, 'incomplete');
  const troubles = await asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ partner_id: string; trouble: string | null }>(
      'select partner_id, trouble from kelpie.reconciled_environments where run_id = $1',
      [report.run.id],
    );
    return new Map(rows.map(({ partner_id: id, trouble }) => [id, trouble]));
  });
  assert.match(troubles.get(first.partnerId) ?? '', /internal error/);
  assert.equal(troubles.get(second.partnerId), null);
});

test('a run that compared nobody is not clean where somebody was asked for', async () => {
  const nobody = { partnerId: '00000000-0000-7000-8000-000000000000', environment: 'live' as const };
  const report = await reconcile(nobody, { dryRun: true });
  assert.deepEqual([report.state, report.environments], ['incomplete', 0]);
});

test("a deposit that its sender's bank recalls is a case until the money is sent back, whatever the bank answers meanwhile", async () => {
  const { partner, places } = await addFunded();
  const id = await sendPounds(bank, places.accountId);
  await untilDeposit(database, id, 'credited');
  await bank.control(`/deposits/${id}/recall`, { fraud: true });
  await passCutOff(world);
  assert.equal((await reconcile(partner)).state, 'differences');
  assert.deepEqual(await kindsOf(partner), [['deposit_recalled', 'open']]);
  const silent = await reconcile(partner, { seenThrough: (one) => ({ ...one, listRecalls: async () => null }) });
  assert.deepEqual([silent.state, await kindsOf(partner)], ['clean', [['deposit_recalled', 'open']]]);
  await bank.control(`/deposits/${id}/refund`);
  await round();
  await untilDeposit(database, id, 'reversed');
  await passCutOff(world);
  await reconcile(partner);
  assert.deepEqual(await kindsOf(partner), [['deposit_recalled', 'gone']]);
});

test('a payment that came back long after it was compared is compared again, once the bank says that it changed', async () => {
  const partner = await world.addPartner();
  const { paymentId } = await pay(partner);
  await passCutOff(world);
  assert.equal((await reconcile(partner)).transfers, 1);
  await passTime(world, 40 * dayMs);
  await reconcile(partner);
  assert.equal((await reconcile(partner)).transfers, 0);
  await bank.control('/webhooks', { mode: 'lose' });
  await bank.control(`/transfers/${paymentId}/return`);
  await passCutOff(world);
  await reconcile(partner);
  assert.deepEqual(await kindsOf(partner), [
    ['transfer_state', 'open'],
    ['wallet_balance', 'open'],
  ]);
  await bank.control('/webhooks', { mode: 'normal' });
});

test('a payout that is stuck is compared each time, however old it is', async () => {
  const partner = await world.addPartner();
  const heldAccount = { bank_name: 'Example Bank', sort_code: '000000', account_number: '30000002' };
  const made = await createPayout({ url: world.api.url, key: partner.key }, payoutBody({}, { bank: heldAccount }));
  assert.equal(made.status, 201, made.text);
  const [payment] = await listPaymentsOf(database, partner);
  assert(payment !== undefined);
  await bank.control(`/transfers/${payment.paymentId}/hold`, { state: 'in_review' });
  await passCutOff(world);
  assert.equal((await reconcile(partner)).inFlight, 1);
  await passTime(world, 9 * dayMs);
  const later = await reconcile(partner);
  assert.deepEqual([later.state, later.inFlight], ['clean', 1]);
  await bank.control(`/transfers/${payment.paymentId}/release`);
  await untilQuiet(database);
});

test('a bank that does not say what changed lately makes no false alarm of a balance', async () => {
  const partner = await world.addPartner();
  const { paymentId } = await pay(partner);
  await passTime(world, 2 * dayMs);
  await bank.control('/webhooks', { mode: 'lose' });
  await bank.control(`/transfers/${paymentId}/return`);
  const report = await reconcile(partner, {
    seenThrough: (one) => ({ ...one, listPayments: async (customerId, after) => one.listPayments(customerId, after) }),
  });
  assert.deepEqual([report.differences, await kindsOf(partner)], [0, []]);
  await bank.control('/webhooks', { mode: 'normal' });
});

test('what was summed of months that are over is not summed again, and is not trusted after a restore', async () => {
  const partner = await world.addPartner();
  await pay(partner);
  await passTime(world, 40 * dayMs);
  assert.equal((await reconcile(partner)).state, 'clean');
  const change = async (by: number): Promise<void> =>
    asAdmin(database.superuserUrl, async (client) => {
      const { rowCount } = await client.query(
        'update kelpie.bank_wallet_sums set micro_usdc = micro_usdc + $2 where partner_id = $1',
        [partner.partnerId, by],
      );
      assert.equal(rowCount, 1);
    });
  await change(5);
  assert.equal((await reconcile(partner)).state, 'differences');
  assert.equal((await reconcile(partner, { everything: true })).state, 'clean');
  await change(5);
  const at = clockShiftedByFile(world.clock.file).now();
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `insert into kelpie.recoveries (id, began_at, begun_by, reason, imported_at, opened_at, opened_by)
       values (gen_random_uuid(), $1, 'test', 'a restore', $1, $1, 'test')`,
      [at],
    ),
  );
  assert.equal((await reconcile(partner)).state, 'clean');
});
