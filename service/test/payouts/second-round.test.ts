import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { callWire } from '@kelpie/sandbox-bank/test/customer.ts';
import { bankOf, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

// An order of which nothing was sent is tried again under a new key of the bank's, which would pay it again: only after the
// bank's own list was searched for it. The bank's record says what was paid.

const clock = createTestClock();
const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
const world = await startWorld({ env });
const { bank, database } = world;
const client = { url: world.api.url, key: world.partner.key };
const hour = 3_600_000;
const amount = '100.00';

async function moveTime(byMs: number): Promise<void> {
  await passTime({ clock, bank }, byMs);
}

/** Until every payout is at its end, and the bank has told of all. */
async function settle(): Promise<void> {
  await bank.control('/webhooks', { mode: 'normal' });
  await bank.control('/webhooks/redeliver', { all: true });
  await moveTime(60_000);
  await untilQuiet(database);
}

async function fault(kind: string, on = 'transfer.create', more: object = {}): Promise<void> {
  await bank.control('/faults', { on, kind, times: 1, ...more });
}

async function pay(key: string, body = payoutBody({ amount_gbp: amount })): Promise<ApiAnswer> {
  return createPayout(client, body, key);
}

async function refuse(key: string): Promise<void> {
  await fault('reject', 'transfer.create', { code: 'invalid_parameters' });
  assert.equal((await pay(key)).status, 502);
}

interface Attempt {
  id: string;
  order: string;
  state: string;
  payment: string | null;
  round: number;
}

async function attemptsOf(key: string): Promise<Attempt[]> {
  return asAdmin(database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<Attempt>(
      `select id, order_id as order, state, bank_payment_id as payment, bank_round as round
       from kelpie.payouts where idempotency_key = $1 order by id`,
      [key],
    );
    return rows;
  });
}

async function orderOf(key: string): Promise<string> {
  const [first] = await attemptsOf(key);
  assert(first !== undefined);
  return first.order;
}

async function paymentsOf(key: string): Promise<string[]> {
  const order = await orderOf(key);
  const { payments } = await bank.record();
  return payments.filter((one) => one.client_reference_id === order).map((one) => one.transfer_id);
}

async function closeCases(): Promise<void> {
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query(`update kelpie.cases set closed_at = now(), closed_by = 'test' where closed_at is null`),
  );
}

async function untilCase(key: string): Promise<void> {
  const ids = (await attemptsOf(key)).map(({ id }) => id);
  await eventually('a case is open', async () =>
    asAdmin(database.superuserUrl, async (admin) => {
      const { rowCount } = await admin.query(
        `select from kelpie.cases where payout_id = any ($1) and kind = 'paid_though_not_created' and closed_at is null`,
        [ids],
      );
      return rowCount === 1;
    }),
  );
}

/** What the bank was asked for with the last payout that it took, and where that went. */
async function lastTransfer(): Promise<unknown> {
  const key = randomUUID();
  assert.equal((await pay(key)).status, 201);
  const [paymentId = ''] = await paymentsOf(key);
  return (await callWire(bank, `/transfers/${paymentId}`)).json;
}

/** The bank pays an order that it refused: the same account, and the amount that is given. */
async function payAtBank(key: string, amountGbp = amount): Promise<void> {
  const known = await lastTransfer();
  const destination = {
    currency: 'gbp',
    payment_rail: 'faster_payments',
    external_account_id: textAt(known, 'destination.external_account_id'),
    amount: amountGbp,
    reference: 'By hand',
  };
  const order = { on_behalf_of: valueAt(known, 'on_behalf_of'), source: valueAt(known, 'source'), destination };
  const body = { ...order, client_reference_id: await orderOf(key) };
  const { status, text } = await callWire(bank, '/transfers', { body, key: randomUUID() });
  assert.equal(status, 201, text);
}

/** For a payment of which only the bank's list tells. */
async function losingWebhooks(t: TestContext): Promise<void> {
  await bank.control('/webhooks', { mode: 'lose' });
  t.after(async () => bank.control('/webhooks', { mode: 'normal' }));
}

test('an order that the bank refused and paid all the same is adopted, and not paid again', async (t) => {
  await losingWebhooks(t);
  const key = randomUUID();
  await refuse(key);
  await payAtBank(key);
  const again = await pay(key);
  assert.equal(again.status, 201, again.text);
  const [payment, ...more] = await paymentsOf(key);
  assert.deepEqual(more, []);
  assert.equal((await attemptsOf(key)).at(-1)?.payment, payment);
  await settle();
  await assertAllHolds({ ...world, acknowledged: [again.id] });
});

test('faults 22: it is adopted a day later, too: not while its case is open, and once it is closed', async () => {
  const key = randomUUID();
  await refuse(key);
  await payAtBank(key);
  await untilCase(key);
  await moveTime(25 * hour);
  const open = await pay(key);
  assert.deepEqual([open.status, open.code], [409, 'idempotency_key_in_use'], open.text);
  assert.match(open.text, /may have been paid/);
  // A worker that hears of the payment once more would open its case again.
  await world.worker?.stop();
  await closeCases();
  const again = await pay(key);
  assert.equal(again.status, 201, again.text);
  assert.equal((await paymentsOf(key)).length, 1);
  await world.restartWorker();
  await settle();
  await assertAllHolds({ ...world, acknowledged: [again.id] });
});

test('a case of any attempt keeps the order from being sent, also where another attempt came after it', async () => {
  const key = randomUUID();
  await refuse(key);
  await refuse(key);
  const [first, second] = await attemptsOf(key);
  assert.deepEqual([first?.state, first?.round, second?.state, second?.round], ['not_created', 1, 'not_created', 2]);
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query(
      `insert into kelpie.cases (id, partner_id, environment, payout_id, kind, detail, opened_at)
       select gen_random_uuid(), partner_id, environment, id, 'planted', 'a person looks', now()
       from kelpie.payouts where id = $1`,
      [first?.id],
    ),
  );
  const again = await pay(key);
  assert.deepEqual([again.status, again.code], [409, 'idempotency_key_in_use'], again.text);
  await closeCases();
  assert.equal((await pay(key)).status, 201);
  assert.equal((await paymentsOf(key)).length, 1);
});

test('an order for which a correction was made is not adopted: its payment is in the books already', async (t) => {
  await losingWebhooks(t);
  const key = randomUUID();
  await refuse(key);
  await payAtBank(key);
  const [first] = await attemptsOf(key);
  await asAdmin(database.superuserUrl, async (admin) =>
    admin.query(
      `with planted as (
         insert into kelpie.cases (id, partner_id, environment, payout_id, kind, detail, opened_at, closed_at, closed_by)
         select gen_random_uuid(), partner_id, environment, id, 'planted', 'corrected', now(), now(), 'test'
         from kelpie.payouts where id = $1 returning id, partner_id, environment
       )
       insert into kelpie.case_history (case_id, number, partner_id, environment, at, what, by, detail)
       select id, 1, partner_id, environment, now(), 'corrected', 'test', '' from planted`,
      [first?.id],
    ),
  );
  const again = await pay(key);
  assert.deepEqual([again.status, again.code], [409, 'idempotency_key_in_use'], again.text);
  assert.equal((await paymentsOf(key)).length, 1);
});

for (const [what, amountGbp, recipient] of [
  ['another amount', '1.00', {}],
  ['another account', amount, bankOf('33334442')],
] as const) {
  test(`a payment of ${what} is not adopted: nothing is sent, and a person has to look`, async (t) => {
    await losingWebhooks(t);
    const key = randomUUID();
    const body = payoutBody({ amount_gbp: amount }, recipient);
    await fault('reject', 'transfer.create', { code: 'invalid_parameters' });
    assert.equal((await pay(key, body)).status, 502);
    await payAtBank(key, amountGbp);
    const again = await pay(key, body);
    assert.deepEqual([again.status, again.code], [409, 'idempotency_key_in_use'], again.text);
    await untilCase(key);
    assert.equal((await paymentsOf(key)).length, 1);
  });
}

test('a payment that came back is not adopted: a person has to look', async (t) => {
  await losingWebhooks(t);
  const key = randomUUID();
  await refuse(key);
  await payAtBank(key);
  const [payment = ''] = await paymentsOf(key);
  await bank.control(`/transfers/${payment}/fail`);
  assert.equal((await pay(key)).status, 409);
  await untilCase(key);
  assert.equal((await paymentsOf(key)).length, 1);
});

test('a wallet that can not carry what the bank has paid is not told to top up: a person has to look', async (t) => {
  await losingWebhooks(t);
  const key = randomUUID();
  const body = payoutBody({ amount_gbp: '2000.00' });
  // The bank could pay both.
  await bank.control(`/wallets/${world.partner.walletId}/adjust`, { micro_usdc: 5_000_000_000 });
  await fault('reject', 'transfer.create', { code: 'invalid_parameters' });
  assert.equal((await pay(key, body)).status, 502);
  await payAtBank(key, '2000.00');
  const rest = payoutBody({ amount_gbp: '6000.00' });
  assert.equal((await pay(randomUUID(), rest)).status, 201);
  const again = await pay(key, body);
  assert.deepEqual([again.status, again.code], [409, 'idempotency_key_in_use'], again.text);
  await untilCase(key);
});

test('after a refusal that the bank keeps under its key, the same Idempotency-Key pays as soon as the cause is gone', async () => {
  const key = randomUUID();
  const { walletId } = world.partner;
  const balance = Number(textAt(await bank.control(`GET /wallets/${walletId}`), 'balance_micro_usdc'));
  await bank.control(`/wallets/${walletId}/adjust`, { micro_usdc: -balance });
  for (const reason of ['bank_refused', 'bank_refused']) {
    const short = await pay(key);
    assert.deepEqual([short.status, valueAt(short.json, 'error.details.reason')], [502, reason], short.text);
  }
  await bank.control(`/wallets/${walletId}/adjust`, { micro_usdc: balance });
  const funded = await pay(key);
  assert.equal(funded.status, 201, funded.text);
  assert.equal((await paymentsOf(key)).length, 1);
});

test('where the list can not be searched to its end nothing is sent, and the attempt stays as it was', async () => {
  const key = randomUUID();
  await refuse(key);
  // A worker that polls would use up the fault.
  await world.worker?.stop();
  const before = await attemptsOf(key);
  await fault('error_before', 'transfer.read');
  const unsearched = await pay(key);
  assert.deepEqual(
    [unsearched.status, valueAt(unsearched.json, 'error.details.reason')],
    [502, 'bank_unreachable'],
    unsearched.text,
  );
  assert.deepEqual(await attemptsOf(key), before);
  assert.deepEqual(await paymentsOf(key), []);
  assert.equal((await pay(key)).status, 201);
  assert.equal((await paymentsOf(key)).length, 1);
  await world.restartWorker();
});

test('what never left is sent under the same key of the bank, and its list is not read: a busy partner has a long one', async () => {
  const key = randomUUID();
  await world.worker?.stop();
  await fault('error_before', 'external_account.create');
  const body = payoutBody({ amount_gbp: amount }, bankOf('44445551'));
  const unreached = await pay(key, body);
  assert.deepEqual(
    [unreached.status, valueAt(unreached.json, 'error.details.reason')],
    [502, 'bank_unreachable'],
    unreached.text,
  );
  await fault('error_before', 'transfer.read');
  const again = await pay(key, body);
  assert.equal(again.status, 201, again.text);
  assert.deepEqual(
    (await attemptsOf(key)).map(({ round }) => round),
    [1, 1],
  );
  assert.equal((await paymentsOf(key)).length, 1);
  await bank.control('DELETE /faults');
  await world.restartWorker();
});

test('many who try again at once after a refusal begin one round, and one payment is made', async () => {
  const key = randomUUID();
  await refuse(key);
  const answers = await Promise.all(Array.from({ length: 20 }, async () => pay(key)));
  const made = answers.filter(({ status }) => status === 201 || status === 200);
  assert(made.length > 0);
  assert.equal(new Set(made.map(({ id }) => id)).size, 1);
  assert(answers.every(({ status }) => [200, 201, 409].includes(status)));
  assert.equal((await paymentsOf(key)).length, 1);
});

test('an api that is killed before it records the payment that it adopts leaves it to the worker, which sends nothing', async (t) => {
  const dying = await world.addApi({ KELPIE_TEST_FAILPOINT: 'database.apply_transitions.before*1' });
  await losingWebhooks(t);
  const key = randomUUID();
  await refuse(key);
  await payAtBank(key);
  await assert.rejects(createPayout({ ...client, url: dying.url }, payoutBody({ amount_gbp: amount }), key));
  assert.equal((await attemptsOf(key)).at(-1)?.state, 'sending');
  await settle();
  const again = await pay(key);
  assert.equal(again.status, 200, again.text);
  assert.equal((await paymentsOf(key)).length, 1);
  assert.equal((await attemptsOf(key)).at(-1)?.payment, (await paymentsOf(key))[0]);
});
