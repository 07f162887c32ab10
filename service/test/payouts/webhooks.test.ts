import assert from 'node:assert/strict';
import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createPayout, getPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { untilQuiet } from '../harness/waits.ts';
import { startWorld } from '../harness/world.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString().trim();
/** Two apis: one that knows the bank's key, and one that knows ours, so that we can sign what the bank would not. */
const world = await startWorld({ settleAfterMs: 1_000 });
const ours = await world.addApi({ KELPIE_SANDBOX_BANK_WEBHOOK_KEY: pem });
const client = { url: world.api.url, key: world.partner.key };

function sign(body: string, at: Date, key = privateKey): string {
  const digest = createHash('sha256').update(`${at.getTime()}.${body}`).digest();
  return `t=${at.getTime()},v0=${createSign('RSA-SHA256').update(digest).sign(key, 'base64')}`;
}

function eventOf(paymentId: string, orderId: string | null, eventId = 'event-1'): string {
  return JSON.stringify({
    event_id: eventId,
    event_category: 'transfer',
    event_object_id: paymentId,
    event_object: { client_reference_id: orderId },
  });
}

async function deliver(body: string, signature: string): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': signature };
  return (await fetch(`${ours.url}/bank-webhooks/sandbox`, { method: 'POST', headers, body })).status;
}

async function historyOf(id: string): Promise<string[]> {
  return asAdmin(world.database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ what: string }>(
      'select what from kelpie.payout_history where payout_id = $1 order by number',
      [id],
    );
    return rows.map(({ what }) => what);
  });
}

async function paymentOf(id: string): Promise<{ paymentId: string; orderId: string }> {
  return asAdmin(world.database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ payment: string; order: string }>(
      'select bank_payment_id as payment, order_id as order from kelpie.payouts where id = $1',
      [id],
    );
    assert(rows[0] !== undefined);
    return { paymentId: rows[0].payment, orderId: rows[0].order };
  });
}

test('faults 24: the same webhook a hundred times at once has one effect', async () => {
  const made = await createPayout(client);
  const { paymentId, orderId } = await paymentOf(made.id);
  await world.bank.control(`/transfers/${paymentId}/settle`).catch(() => undefined);
  const body = eventOf(paymentId, orderId);
  const statuses = await Promise.all(Array.from({ length: 100 }, async () => deliver(body, sign(body, new Date()))));
  assert.deepEqual([...new Set(statuses)], [200]);
  await world.bank.control('/webhooks/redeliver', { all: true });
  await untilQuiet(world.database);
  assert.deepEqual(await historyOf(made.id), ['created', 'bank_accepted', 'arrived']);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('faults 26: a forged, stale or altered webhook is refused, and moves nothing', async () => {
  const made = await createPayout(client);
  await untilQuiet(world.database);
  const { paymentId, orderId } = await paymentOf(made.id);
  const body = eventOf(paymentId, orderId);
  const now = new Date();
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  assert.equal(await deliver(body, sign(body, now)), 200);
  assert.equal(await deliver(body, sign(body, now, stranger)), 401);
  for (const minutes of [-11, 11]) {
    assert.equal(await deliver(body, sign(body, new Date(now.getTime() + minutes * 60_000))), 401);
  }
  for (let at = 0; at < body.length; at += 1) {
    const flipped = Buffer.from(body);
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    assert.equal(await deliver(flipped.toString('latin1'), sign(body, now)), 401, `byte ${at}`);
  }
  assert.equal(await deliver(body, ''), 401);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

async function kept(): Promise<{ tries: number }[]> {
  return asAdmin(world.database.superuserUrl, async (admin) => {
    const { rows } = await admin.query<{ tries: number }>('select tries from kelpie.unmatched_bank_events');
    return rows;
  });
}

test('a webhook of something other than a payment is acknowledged, is not kept, and moves no payout', async () => {
  const made = await createPayout(client);
  await untilQuiet(world.database);
  const history = await historyOf(made.id);
  const before = await kept();
  const { paymentId, orderId } = await paymentOf(made.id);
  for (const category of ['kyc_link', 'customer']) {
    const body = eventOf(paymentId, orderId, `event-${category}`).replace('"transfer"', JSON.stringify(category));
    assert.equal(await deliver(body, sign(body, new Date())), 200);
  }
  assert.deepEqual(await kept(), before);
  await untilQuiet(world.database);
  assert.deepEqual(await historyOf(made.id), history);
});

test('a webhook of no payout is kept and tried again, and is an error only in the end', async () => {
  const body = eventOf('01a1d000-0000-7000-8000-00000000000a', null, 'event-unknown');
  assert.equal(await deliver(body, sign(body, new Date())), 200);
  assert.equal(await deliver(body, sign(body, new Date())), 200);
  assert.equal((await kept()).length, 1);
  await eventually('it was tried again', async () => ((await kept())[0]?.tries ?? 0) > 1);
});

test('a webhook that names no order of ours finds its payout by the payment', async () => {
  await world.bank.control('/webhooks', { mode: 'lose' });
  const made = await createPayout(client);
  const { paymentId } = await paymentOf(made.id);
  await world.bank.control(`/transfers/${paymentId}/settle`);
  const body = eventOf(paymentId, null, 'event-without-order');
  assert.equal(await deliver(body, sign(body, new Date())), 200);
  await eventually('it is completed', async () => (await getPayout(client, made.id)).payout === 'completed');
  await world.bank.control('/webhooks', { mode: 'normal' });
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('a webhook that comes before our own second commit is not lost', async () => {
  // The bank has taken the order and tells of it, while its answer is still on the way.
  await world.bank.control('/faults', { on: 'transfer.create', kind: 'delay_reply', delay_ms: 1_500, times: 1 });
  const made = await createPayout(client);
  assert.equal(made.status, 201, made.text);
  await eventually('it is completed', async () => (await getPayout(client, made.id)).payout === 'completed');
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('webhooks alone settle a payout whose answer never came', async () => {
  await world.bank.control('/faults', { on: 'transfer.create', kind: 'drop_reply', times: 1 });
  const made = await createPayout(client);
  assert.equal(made.payout, 'pending');
  await eventually('it is completed', async () => (await getPayout(client, made.id)).payout === 'completed');
  // Nobody had to ask a second time.
  assert.deepEqual(await historyOf(made.id), ['created', 'not_known', 'bank_accepted', 'arrived']);
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

/** As a partner does: a busy service is asked again, with the same key. */
async function createWithRetries(): Promise<ApiAnswer> {
  const key = randomUUID();
  return eventually('a payout is created', async () => {
    const answer = await createPayout(client, payoutBody(), key);
    return answer.status < 300 && answer;
  });
}

for (const mode of ['shuffle', 'repeat']) {
  test(`faults 25: payouts settle the same under webhooks in the mode ${mode}`, async () => {
    await world.bank.control('/webhooks', { mode });
    const made = await Promise.all(Array.from({ length: 60 }, createWithRetries));
    await untilQuiet(world.database);
    for (const { id } of made) assert.deepEqual((await historyOf(id)).at(-1), 'arrived');
    await world.bank.control('/webhooks', { mode: 'normal' });
    await assertAllHolds({ ...world, acknowledged: made.map(({ id }) => id) });
  });
}
