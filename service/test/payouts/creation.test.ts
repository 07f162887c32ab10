import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { bankOf, call, createPayout, getPayout, payoutBody } from '../harness/client.ts';
import { assertAllHolds, countStates } from '../harness/invariants.ts';
import { addKey, addLiveEnvironment } from '../harness/partners.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();
const client = { url: world.api.url, key: world.partner.key };

async function quiet(): Promise<void> {
  await eventually('nothing is open any more', async () => {
    const { sending = 0, pending = 0, processing = 0 } = await countStates(world.database);
    return sending + pending + processing === 0;
  });
}

test('faults 33: of 200 payouts at once with funds for 10, exactly 10 are made', async () => {
  const partner = await world.addPartner();
  const own = { url: world.api.url, key: partner.key };
  // The bank then knows the recipient, and is asked for nothing but the payment.
  const first = await createPayout(own);
  assert.equal(first.status, 201, first.text);
  // 785.00 takes 999.28 USDC of what is left of 10,000.00: ten times, and not eleven.
  const body = payoutBody({ amount_gbp: '785.00' });
  const answers = await Promise.all(Array.from({ length: 200 }, async () => createPayout(own, body)));
  const made = answers.filter(({ status }) => status === 201);
  assert.equal(made.length, 10);
  assert.equal(answers.filter(({ status, code }) => status === 402 && code === 'insufficient_funds').length, 190);
  const refused = answers.find(({ status }) => status === 402);
  assert.match(String(valueAt(refused?.json, 'error.details.shortfall_usdc')), /^\d+\.\d{2}$/);
  await quiet();
  await assertAllHolds({ ...world, acknowledged: made.map(({ id }) => id) });
});

test('faults 34: one key a hundred times at once is one payout: one 201, the rest 200', async () => {
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 100 }, async () => createPayout(client, payoutBody(), key)));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 200).length, 99);
  assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
  await quiet();
  await assertAllHolds({ ...world, acknowledged: answers.map(({ id }) => id) });
});

const changes: readonly [path: string, body: Record<string, unknown>][] = [
  ['amount_gbp', payoutBody({ amount_gbp: '1.01' })],
  ['reference', payoutBody({ reference: 'Order 43' })],
  ['recipient.type', payoutBody({}, { type: 'business' })],
  ['recipient.first_name', payoutBody({}, { first_name: 'Bea' })],
  ['recipient.last_name', payoutBody({}, { last_name: 'Other' })],
  ['recipient.email', payoutBody({}, { email: 'other@example.test' })],
  [
    'recipient.address.line1',
    payoutBody({}, { address: { line1: '2 High Street', city: 'Leeds', postal_code: 'LS1 1AA' } }),
  ],
  [
    'recipient.address.line2',
    payoutBody({}, { address: { line1: 'Canary Wharf 77', line2: 'Flat 2', city: 'Leeds', postal_code: 'LS1 1AA' } }),
  ],
  [
    'recipient.address.city',
    payoutBody({}, { address: { line1: 'Canary Wharf 77', city: 'York', region: 'Leeds', postal_code: 'LS1 1AA' } }),
  ],
  [
    'recipient.address.postal_code',
    payoutBody({}, { address: { line1: 'Canary Wharf 77', city: 'Leeds', postal_code: 'LS2 1AA' } }),
  ],
  [
    'recipient.address.region',
    payoutBody({}, { address: { line1: 'Canary Wharf 77', city: 'Leeds', region: 'Kent', postal_code: 'LS1 1AA' } }),
  ],
  [
    'recipient.bank.bank_name',
    payoutBody({}, { bank: { bank_name: 'Other Bank', sort_code: '040977', account_number: '77315678' } }),
  ],
  [
    'recipient.bank.sort_code',
    payoutBody({}, { bank: { bank_name: 'Example Bank', sort_code: '040978', account_number: '77315678' } }),
  ],
  ['recipient.bank.account_number', payoutBody({}, bankOf('77315679'))],
];

test('faults 35: one key with each field of the body changed in turn is refused, and says which field, never its value', async () => {
  const key = randomUUID();
  const made = await createPayout(client, payoutBody(), key);
  for (const [path, body] of changes) {
    const refused = await createPayout(client, body, key);
    assert.equal(refused.status, 422, path);
    assert.equal(refused.code, 'idempotency_key_reused');
    assert.deepEqual(valueAt(refused.json, 'error.details'), { payout_id: made.id, mismatched: [path] });
  }
  // What means the same is the same.
  const same = payoutBody({ amount_gbp: '0001.00', country: 'GB', confirm_code: '123456' }, { type: 'individual' });
  assert.equal((await createPayout(client, same, key)).status, 200);
  await quiet();
  await assertAllHolds({ ...world, acknowledged: [made.id] });
});

test('faults 36: the same key of another partner is another payout, and no one sees the other', async () => {
  const other = await world.addPartner();
  const theirs = { url: world.api.url, key: other.key };
  const key = randomUUID();
  const [mine, their] = await Promise.all([
    createPayout(client, payoutBody(), key),
    createPayout(theirs, payoutBody({ amount_gbp: '2.00' }), key),
  ]);
  assert.deepEqual([mine.status, their.status], [201, 201]);
  assert.notEqual(mine.id, their.id);
  assert.equal((await getPayout(theirs, mine.id)).status, 404);
  assert.equal((await getPayout(client, their.id)).code, 'not_found');
  await quiet();
  await assertAllHolds({ ...world, acknowledged: [mine.id, their.id] });
});

test('faults 36: the same key in the other environment is another payout', async () => {
  const both = await startWorld({ withoutWorker: true });
  const liveBank = await startSandboxBank({ mode: 'live-stand-in', env: { BANK_API_KEY: 'sk-live-stand-in' } });
  const live = await addLiveEnvironment(both.database, liveBank, both.partner);
  const api = await both.addApi({
    KELPIE_LIVE_BANK_URL: liveBank.wireUrl,
    KELPIE_LIVE_BANK_API_KEY: liveBank.apiKey,
  });
  const key = randomUUID();
  const body = payoutBody({ amount_gbp: '3.00' });
  const [inSandbox, inLive] = await Promise.all([
    createPayout({ url: api.url, key: both.partner.key }, body, key),
    createPayout({ url: api.url, key: live.key }, body, key),
  ]);
  assert.deepEqual([inSandbox.status, inLive.status], [201, 201]);
  assert.notEqual(inSandbox.id, inLive.id);
  assert.equal((await getPayout({ url: api.url, key: live.key }, inSandbox.id)).status, 404);
  assert.equal((await liveBank.record()).payments.length, 1);
  // The provider's own minimum holds where its bank is used.
  const small = await createPayout({ url: api.url, key: live.key }, payoutBody({ amount_gbp: '2.99' }));
  assert.deepEqual([small.status, small.code], [422, 'invalid_amount']);
});

test('two keys of one partner with the same idempotency key are one payout', async () => {
  const second = await addKey(world.database, world.partner);
  const key = randomUUID();
  const first = await createPayout(client, payoutBody(), key);
  const again = await createPayout({ url: world.api.url, key: second.key }, payoutBody(), key);
  assert.deepEqual([first.status, again.status, again.id], [201, 200, first.id]);
  await quiet();
  await assertAllHolds({ ...world, acknowledged: [first.id] });
});

test('a revoked key makes no payout from that moment on, and reads nothing a second later', async () => {
  const { key, keyId } = await addKey(world.database, world.partner);
  const own = { url: world.api.url, key };
  assert.equal((await call(own, '/v1/payouts')).status, 200);
  await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query('update kelpie.api_keys set revoked_at = now() where id = $1', [keyId]),
  );
  const refused = await createPayout(own);
  assert.deepEqual([refused.status, refused.code], [401, 'unauthorized']);
  await eventually('it reads nothing', async () => (await call(own, '/v1/payouts')).status === 401);
});

test('a payout that exists is told even to a partner that was suspended since', async () => {
  const partner = await world.addPartner();
  const own = { url: world.api.url, key: partner.key };
  const key = randomUUID();
  const made = await createPayout(own, payoutBody(), key);
  await asAdmin(world.database.superuserUrl, async (admin) =>
    admin.query(`update kelpie.partners set status = 'suspended' where id = $1`, [partner.partnerId]),
  );
  const refused = await createPayout(own);
  assert.deepEqual([refused.status, refused.code], [403, 'partner_not_active']);
  const replay = await createPayout(own, payoutBody(), key);
  assert.deepEqual([replay.status, replay.id], [200, made.id]);
  await eventually('its balance is closed', async () => (await call(own, '/v1/balance')).code === 'partner_not_active');
  assert.equal((await call(own, '/v1/payouts')).status, 200);
  await quiet();
});
