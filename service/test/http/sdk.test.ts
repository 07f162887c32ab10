import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createKelpie, KelpieError, requestIdOf, type CreatePayoutRequest } from '@kelpie/sdk';
import { monthOf } from '../../src/platform/london-month.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const api = await startApi({ database });
const { key: apiKey } = await createSimulatedPartner(database);
const kelpie = createKelpie({ apiKey, baseUrl: api.url });

function orderOf(amount: string): CreatePayoutRequest {
  return {
    amount_gbp: amount,
    reference: 'Order 42',
    recipient: {
      first_name: 'Ada',
      last_name: 'Byron',
      address: { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 1AA' },
      bank: { bank_name: 'Example Bank', sort_code: '040004', account_number: '12345678' },
    },
  };
}

const centsOf = (usdc: string): number => Number(usdc.replace('.', ''));

async function apiErrorOf(work: Promise<unknown>): Promise<KelpieError> {
  return work.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => (error instanceof KelpieError ? error : assert.fail(String(error))),
  );
}

test('a payout is quoted, ordered, repeated, read and listed through the client, and paid once', async () => {
  const before = await kelpie.balance.get();
  const quote = await kelpie.quotes.create({ amount_gbp: '25.00' });
  const idempotencyKey = randomUUID();
  const first = await kelpie.payouts.create(orderOf('25.00'), { idempotencyKey });
  assert.equal(first.replayed, false);
  assert.deepEqual(first.payout.quote, quote);
  const again = await kelpie.payouts.create(orderOf('25.00'), { idempotencyKey });
  assert.deepEqual([again.replayed, again.payout.id, again.payout.quote], [true, first.payout.id, undefined]);
  const read = await kelpie.payouts.get(first.payout.id);
  assert.deepEqual([read.id, read.amount_gbp, read.recipient.account_last4], [first.payout.id, '25.00', '5678']);
  const { data, next } = await kelpie.payouts.list({ limit: 10 });
  assert.deepEqual([data.map(({ id }) => id), next], [[first.payout.id], undefined]);
  const after = await kelpie.balance.get();
  assert.equal(centsOf(before.usdc) - centsOf(after.usdc), centsOf(quote.wallet_sends_usdc));
  await assertBooksHold(database);
});

test('what the api refuses reaches the caller as a typed error', async () => {
  const idempotencyKey = randomUUID();
  const short = await apiErrorOf(kelpie.payouts.create(orderOf('19000.00'), { idempotencyKey }));
  assert.deepEqual([short.code, short.status], ['insufficient_funds', 402]);
  assert.match(short.shortfall?.shortfallUsdc ?? '', /^\d+\.\d{2}$/);
  assert.match(short.requestId ?? '', /./);
  const wrong = await apiErrorOf(kelpie.payouts.create(orderOf('0.99'), { idempotencyKey }));
  assert.deepEqual([wrong.code, wrong.fields.map(({ path }) => path)], ['invalid_amount', ['amount_gbp']]);
  assert.equal((await apiErrorOf(kelpie.payouts.create(orderOf('1.00'), { idempotencyKey: 'short' }))).status, 400);
  assert.equal((await apiErrorOf(kelpie.payouts.get(randomUUID()))).code, 'not_found');
  assert.equal((await apiErrorOf(kelpie.payouts.list({ limit: 201 }))).code, 'invalid_request');
  const stranger = createKelpie({ apiKey: `kp_sandbox_${'0'.repeat(48)}`, baseUrl: api.url });
  assert.equal((await apiErrorOf(stranger.balance.get())).code, 'unauthorized');
});

test('every endpoint can be asked through the client, and pages lead on to the next', async () => {
  const { partnerId, key } = await createSimulatedPartner(database);
  const own = createKelpie({ apiKey: key, baseUrl: api.url });
  const made: string[] = [];
  for (const order of ['one', 'two', 'three']) {
    const { payout } = await own.payouts.create(orderOf('1.00'), { idempotencyKey: `order-${order}` });
    made.unshift(payout.id);
  }
  assert.equal((await own.account.get()).id, partnerId);
  assert.equal((await own.compliance.get()).account.payout_limits_gbp.min, '1.00');
  assert.equal((await own.usage.get()).payouts.count, 3);
  assert.deepEqual((await own.invoices.list()).data, []);
  assert.equal((await own.keys.list()).data.length, 1);
  assert.equal((await own.recipients.list()).data.length, 1);
  assert.equal((await own.activity.list()).data[0]?.action, 'recipient.list');
  assert.equal((await own.partners.getPublic(`p-${partnerId.slice(-12)}`)).name, 'Partner');
  const month = monthOf(new Date());
  const { statement, next } = await own.statements.get({ month, limit: 3 });
  assert.deepEqual([statement.movement_count, statement.movements.length, next], [4, 3, '4']);
  const moved: number[] = [];
  for await (const { number } of own.statements.listMovements(month)) moved.push(number);
  assert.deepEqual(moved, [1, 2, 3, 4]);
  const read: string[] = [];
  for await (const { id } of own.payouts.listAll({ limit: 2, status: ['processing', 'completed'] })) read.push(id);
  assert.deepEqual(read, made);
});

test('a payout is created and waited for, and files are read as streams, each with the id of its request', async () => {
  const { key } = await createSimulatedPartner(database);
  const own = createKelpie({ apiKey: key, baseUrl: api.url });
  const options = { idempotencyKey: randomUUID(), until: 'processing', deadlineMs: 30_000 } as const;
  const accepted = await own.payouts.createAndWait(orderOf('25.00'), options);
  const again = await own.payouts.createAndWait(orderOf('25.00'), options);
  assert.deepEqual([accepted.status, again.id], ['processing', accepted.id]);
  const statement = await own.statements.downloadCsv(monthOf(new Date()));
  const payouts = await own.payouts.downloadCsv({ status: 'processing' });
  assert.match(statement.name, /\.csv$/);
  assert.match(payouts.type, /^text\/csv/);
  assert((await new Response(statement.body).text()).includes(accepted.id));
  assert((await new Response(payouts.body).text()).includes(accepted.id));
  assert.equal((await apiErrorOf(own.invoices.downloadPdf(randomUUID()))).code, 'not_found');
  for (const result of [accepted, statement, await own.payouts.list()]) assert.match(requestIdOf(result) ?? '', /./);
});
