import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { callWire } from '@kelpie/sandbox-bank/test/customer.ts';
import { createPayout, getPayout, payoutBody } from '../harness/client.ts';
import { createTestClock, passTime } from '../harness/clock.ts';
import { startWorld } from '../harness/world.ts';

// A bank that contradicts itself: no rule of ours can mend that, so a person has to be told, and nothing be made worse.

const clock = createTestClock();
const world = await startWorld({ settleAfterMs: 24 * 3_600_000, env: { KELPIE_TEST_CLOCK_FILE: clock.file } });
const client = { url: world.api.url, key: world.partner.key };
const hour = 3_600_000;

async function moveTime(byMs: number): Promise<void> {
  await passTime({ clock, bank: world.bank }, byMs);
}

interface Kept {
  id: string;
  order: string;
  payment: string | null;
}

async function payoutOf(key: string): Promise<Kept> {
  return asAdmin(world.database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<Kept>(
      'select id, order_id as order, bank_payment_id as payment from kelpie.payouts where idempotency_key = $1',
      [key],
    );
    assert(rows[0] !== undefined);
    return rows[0];
  });
}

async function casesOf(id: string): Promise<string[]> {
  return asAdmin(world.database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ kind: string }>('select kind from kelpie.cases where payout_id = $1', [id]);
    return rows.map(({ kind }) => kind);
  });
}

/** Somebody at the bank pays an order of ours, by hand: with another key, as ours would never be. */
async function payByHand(orderId: string): Promise<void> {
  const { payment } = await payoutOf(firstKey);
  const { json: known } = await callWire(world.bank, `/transfers/${payment ?? ''}`);
  const destination = {
    currency: 'gbp',
    payment_rail: 'faster_payments',
    external_account_id: textAt(known, 'destination.external_account_id'),
    amount: '1.00',
    reference: 'By hand',
  };
  const order = { on_behalf_of: valueAt(known, 'on_behalf_of'), source: valueAt(known, 'source'), destination };
  const body = { ...order, client_reference_id: orderId };
  const { status, text } = await callWire(world.bank, '/transfers', { body, key: randomUUID() });
  assert.equal(status, 201, text);
}

const firstKey = randomUUID();

test('a second payment under the same order is told to a person, once', async () => {
  const made = await createPayout(client, payoutBody(), firstKey);
  assert.equal(made.status, 201, made.text);
  await payByHand((await payoutOf(firstKey)).order);
  await eventually('a case is open', async () => (await casesOf(made.id)).includes('paid_twice'));
  await world.bank.control('/webhooks/redeliver', { all: true });
  assert.equal((await getPayout(client, made.id)).payout, 'processing');
  assert.deepEqual(await casesOf(made.id), ['paid_twice']);
});

test('a payment that the bank accepted and does not find for a day is told to a person, once', async () => {
  const key = randomUUID();
  const made = await createPayout(client, payoutBody(), key);
  const { payment } = await payoutOf(key);
  await world.bank.control(`/transfers/${payment ?? ''}/forget`);
  await moveTime(25 * hour);
  await eventually('a case is open', async () => (await casesOf(made.id)).includes('absent_at_bank'));
  await moveTime(2 * hour);
  assert.equal((await getPayout(client, made.id)).payout, 'processing');
  await world.bank.control(`/transfers/${payment ?? ''}/remember`);
  await world.bank.control(`/transfers/${payment ?? ''}/settle`).catch(() => undefined);
  await moveTime(2 * hour);
  await eventually('it is completed', async () => (await getPayout(client, made.id)).payout === 'completed');
  assert.deepEqual(await casesOf(made.id), ['absent_at_bank']);
});

test('an order that the bank refused and paid all the same is never sent under another key while a person is looking', async () => {
  const key = randomUUID();
  await world.bank.control('/faults', { on: 'transfer.create', kind: 'reject', code: 'invalid_parameters', times: 1 });
  assert.equal((await createPayout(client, payoutBody(), key)).status, 502);
  const { id, order } = await payoutOf(key);
  await payByHand(order);
  await eventually('a case is open', async () => (await casesOf(id)).includes('paid_though_not_created'));
  await moveTime(25 * hour);
  const again = await createPayout(client, payoutBody(), key);
  assert.deepEqual([again.status, again.code], [409, 'idempotency_key_in_use'], again.text);
});
