import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { kelpieAdmin } from '../app/commands/kelpie-admin.ts';
import { activityOf } from '../activity/recorded-activity.ts';
import { call, cancelPayout, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { createTestClock } from '../harness/clock.ts';
import { confirming } from '../harness/confirming.ts';
import { createTestDatabase } from '../harness/database.ts';
import { addKey, createSimulatedPartner, type TestPartner } from '../harness/partners.ts';
import { callAs, signIn, type Person } from '../harness/people.ts';
import { startApi } from '../harness/processes.ts';

// What a key may do, from where, until when, and by which of its secrets. The clock moves at the end of the file: sessions
// would else expire.

const database = await createTestDatabase();
const clock = createTestClock();
const env = { KELPIE_TEST_CLOCK_FILE: clock.file };
const [behindProxy, other] = await Promise.all([
  startApi({ database, env: { ...env, KELPIE_TRUSTED_PROXIES: '127.0.0.1' } }),
  startApi({ database, env }),
]);
const { url } = behindProxy;
const confirmed = confirming(database);

async function newPartner(): Promise<{ partner: TestPartner; admin: Person }> {
  const partner = await createSimulatedPartner(database);
  return { partner, admin: await signIn(database, partner, { url }) };
}

async function create(admin: Person, body: object): Promise<ApiAnswer> {
  return confirmed.call(admin, '/v1/keys', { method: 'POST', body: { environment: 'sandbox', ...body } });
}

async function createSecret(admin: Person, body: object): Promise<{ id: string; secret: string }> {
  const made = await create(admin, body);
  assert.equal(made.status, 201, made.text);
  return { id: made.id, secret: textAt(made.json, 'secret') };
}

async function roll(admin: Person, id: string, body: object = {}): Promise<ApiAnswer> {
  return confirmed.call(admin, `/v1/keys/${id}/roll`, { method: 'POST', body });
}

async function change(sql: string, values: readonly unknown[]): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) => client.query(sql, [...values]));
}

async function countMails(kind: string): Promise<number> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query('select from kelpie.outgoing_mails where kind = $1', [kind]);
    return rows.length;
  });
}

async function listed(admin: Person, id: string): Promise<unknown> {
  const keys = valueAt((await callAs(admin, '/v1/keys')).json, 'data');
  assert(Array.isArray(keys));
  return keys.find((key) => textAt(key, 'id') === id);
}

/** As a load balancer passes a request on. */
async function readFrom(key: string, address: string): Promise<ApiAnswer> {
  return call({ url, key }, '/v1/account', { headers: { 'x-forwarded-for': address } });
}

async function readStatus(key: string, at = url): Promise<number> {
  return (await call({ url: at, key }, '/v1/account')).status;
}

function fullLimitAt({ json }: ApiAnswer): unknown {
  return valueAt(json, 'full_limit_at');
}

const hourMs = 3_600_000;

test('a key shows what it can do, in the answer that creates it and in the list', async () => {
  const { admin } = await newPartner();
  const expiresAt = new Date(Date.now() + 30 * 24 * hourMs).toISOString();
  const asked = {
    label: 'Shop',
    networks: ['203.0.113.0/24', '2001:DB8::/32', '::ffff:198.51.100.7'],
    expires_at: expiresAt,
    daily_limit_gbp: '2500.00',
  };
  const made = await create(admin, asked);
  assert.equal(made.status, 201, made.text);
  const expected = {
    scope: 'pay',
    networks: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7/32'],
    expires_at: expiresAt,
    daily_limit_gbp: '2500.00',
    full_limit_at: null,
    previous_key_prefix: null,
    previous_expires_at: null,
  };
  const plain = await create(admin, { scope: 'read', networks: [] });
  const nothing = { ...expected, scope: 'read', networks: [], expires_at: null, daily_limit_gbp: null };
  for (const [answer, fields] of [
    [made, expected],
    [plain, nothing],
  ] as const)
    for (const shown of [answer.json, await listed(admin, answer.id)])
      for (const [name, value] of Object.entries(fields)) assert.deepEqual(valueAt(shown, name), value, name);
});

test('what is wrong with a new key is named field by field', async () => {
  const { admin } = await newPartner();
  const fieldsOf = async (body: object): Promise<unknown> => {
    const answer = await create(admin, body);
    assert.deepEqual([answer.status, answer.code], [422, 'invalid_request'], answer.text);
    return valueAt(answer.json, 'error.details.fields');
  };
  const network = 'must be an IP address or a CIDR range without host bits, for example 203.0.113.0/24';
  for (const [body, path, rule] of [
    [{ scope: 'admin' }, 'scope', 'must be pay or read'],
    [{ networks: '203.0.113.0/24' }, 'networks', 'must be a list'],
    [{ networks: ['203.0.113.0/24', '203.0.113.1/24'] }, 'networks.1', network],
    [{ networks: ['example.com'] }, 'networks.0', network],
    [{ networks: Array.from({ length: 11 }, () => '203.0.113.1') }, 'networks', 'must have at most 10 items'],
    [{ expires_at: 'tomorrow' }, 'expires_at', 'must be a date-time, for example 2026-11-01T00:00:00Z'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'must be in the future'],
    [{ daily_limit_gbp: '0.00' }, 'daily_limit_gbp', 'must be more than 0.00'],
    [{ daily_limit_gbp: 5 }, 'daily_limit_gbp', 'must be a string'],
    [{ scope: 'read', daily_limit_gbp: '5.00' }, 'daily_limit_gbp', 'is not accepted for scope read'],
  ] as const)
    assert.deepEqual(await fieldsOf(body), [{ path, rule }]);
  const { id } = await createSecret(admin, {});
  for (const [overlap, rule] of [
    [-1, 'must be at least 0'],
    [73, 'must be at most 72'],
    [1.5, 'must be a whole number'],
    ['24', 'must be a whole number'],
  ] as const) {
    const answer = await roll(admin, id, { overlap_hours: overlap });
    assert.deepEqual(valueAt(answer.json, 'error.details.fields'), [{ path: 'overlap_hours', rule }], answer.text);
  }
});

test('a key of scope read reads and asks for quotes, and neither creates nor cancels a payout', async () => {
  const { partner, admin } = await newPartner();
  const { secret } = await createSecret(admin, { scope: 'read' });
  const reader = { url, key: secret };
  const paid = await createPayout({ url, key: partner.key });
  assert.equal((await call(reader, `/v1/payouts/${paid.id}`)).status, 200);
  assert.equal((await call(reader, '/v1/quotes', { method: 'POST', body: { amount_gbp: '5.00' } })).status, 200);
  for (const answer of [await createPayout(reader), await cancelPayout(reader, paid.id)]) {
    assert.deepEqual([answer.status, answer.code], [403, 'api_key_required']);
    assert.match(textAt(answer.json, 'error.message'), /read-only API keys/);
  }
  const payouts = valueAt((await call(reader, '/v1/payouts')).json, 'data');
  assert(Array.isArray(payouts) && payouts.length === 1);
});

test('faults 66: a network is checked for every request, also while the key is remembered from an allowed one', async () => {
  const { admin } = await newPartner();
  const { secret } = await createSecret(admin, { networks: ['203.0.113.0/24', '2001:db8::/32'] });
  const unknown = await readFrom(`kp_sandbox_${'0'.repeat(48)}`, '203.0.113.9');
  for (let round = 0; round < 20; round += 1) {
    const [within, elsewhere, mapped, version6, beside] = await Promise.all(
      ['203.0.113.9', '198.51.100.9', '::ffff:203.0.113.10', '2001:db8:9::1', '2001:db9::1'].map(async (address) =>
        readFrom(secret, address),
      ),
    );
    assert.deepEqual(
      [within, elsewhere, mapped, version6, beside].map((answer) => answer?.status),
      [200, 401, 200, 200, 401],
    );
    // Nothing tells a stranger that the key is right, and only the network wrong.
    assert.deepEqual(elsewhere?.json, unknown.json);
  }
  assert.equal((await createPayout({ url, key: secret })).status, 401);
});

test('an address that a caller claims counts only behind a trusted proxy', async () => {
  const { admin } = await newPartner();
  const { secret } = await createSecret(admin, { networks: ['203.0.113.0/24'] });
  const own = await createSecret(admin, { networks: ['127.0.0.0/8'] });
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  assert.equal((await call({ url: other.url, key: secret }, '/v1/account', { headers })).status, 401);
  assert.equal((await call({ url: other.url, key: own.secret }, '/v1/account', { headers })).status, 200);
});

test('a rolled key keeps its id, and both secrets work until the overlap ends', async () => {
  const { partner, admin } = await newPartner();
  const made = await createSecret(admin, { label: 'Shop', daily_limit_gbp: '900.00' });
  const rolled = await roll(admin, made.id);
  assert.deepEqual([rolled.status, rolled.id], [201, made.id], rolled.text);
  assert.equal(rolled.headers.get('cache-control'), 'no-store');
  const secret = textAt(rolled.json, 'secret');
  assert.notEqual(secret, made.secret);
  const [oldPrefix, newPrefix] = [made.secret.slice(0, 19), secret.slice(0, 19)];
  for (const shown of [rolled.json, await listed(admin, made.id)]) {
    assert.deepEqual(
      ['key_prefix', 'previous_key_prefix', 'label', 'daily_limit_gbp'].map((field) => valueAt(shown, field)),
      [newPrefix, oldPrefix, 'Shop', '900.00'],
    );
    const leftMs = Date.parse(textAt(shown, 'previous_expires_at')) - Date.now();
    assert(leftMs > 23 * hourMs && leftMs <= 24 * hourMs);
  }
  for (const key of [made.secret, secret]) assert.equal((await createPayout({ url, key })).status, 201);
  // Who looks at the activity sees which secret is still in use.
  const payers = (await activityOf(database, partner, 'payout.create')).map(({ by }) => by);
  assert.deepEqual(payers, [oldPrefix, newPrefix]);
  const [recorded] = await activityOf(database, partner, 'key.roll');
  assert.deepEqual([recorded?.detail, recorded?.by, recorded?.status], [made.id, admin.email, 201]);
});

test('faults 67: a key that is rolled again in its overlap has its two newest secrets, and a revoked one has none', async () => {
  const { admin } = await newPartner();
  const first = await createSecret(admin, {});
  const [second, third] = [await roll(admin, first.id), await roll(admin, first.id, { overlap_hours: 72 })].map(
    ({ json }) => textAt(json, 'secret'),
  );
  assert(second !== undefined && third !== undefined);
  // Remembered for less than a second after the roll; the commit of a payout remembers nothing.
  assert.equal((await createPayout({ url, key: first.secret })).status, 401);
  for (const key of [second, third]) assert.equal((await createPayout({ url, key })).status, 201);
  assert.equal((await callAs(admin, `/v1/keys/${first.id}`, { method: 'DELETE' })).status, 200);
  for (const key of [second, third]) {
    assert.equal((await createPayout({ url, key })).status, 401);
    await eventually('it reads nothing either', async () => (await readStatus(key)) === 401);
  }
  const answer = await roll(admin, first.id);
  assert.deepEqual([answer.status, answer.code], [404, 'not_found']);
});

test('without an overlap the old secret pays nothing from the roll on, on any process', async () => {
  const { admin } = await newPartner();
  const { id, secret } = await createSecret(admin, {});
  for (const at of [url, other.url]) assert.equal(await readStatus(secret, at), 200);
  const rolled = await roll(admin, id, { overlap_hours: 0 });
  assert.deepEqual([rolled.status, valueAt(rolled.json, 'previous_key_prefix')], [201, null]);
  for (const at of [url, other.url]) {
    assert.equal((await createPayout({ url: at, key: secret })).status, 401);
    assert.equal((await createPayout({ url: at, key: textAt(rolled.json, 'secret') })).status, 201);
  }
});

test('faults 67: after 100 racing rolls of one key exactly the two newest secrets work', async () => {
  const { partner, admin } = await newPartner();
  const { id, secret } = await createSecret(admin, {});
  const racing = Array.from({ length: 100 }, async (_, place) =>
    roll({ ...admin, url: place % 2 === 0 ? url : other.url }, id),
  );
  const answers = await Promise.all(racing);
  // They wait for each other; on a busy machine the last ones give up, and change nothing.
  const done = answers.filter(({ status }) => status === 201);
  assert(done.length >= 20 && answers.every(({ status }) => status === 201 || status === 503));
  const secrets = [secret, ...done.map(({ json }) => textAt(json, 'secret'))];
  assert.equal(new Set(secrets).size, done.length + 1);
  const shown = await listed(admin, id);
  const newest = [textAt(shown, 'key_prefix'), textAt(shown, 'previous_key_prefix')];
  const paid = await Promise.all(secrets.map(async (key) => createPayout({ url, key })));
  const paying = secrets.filter((_, place) => paid[place]?.status === 201).map((key) => key.slice(0, 19));
  assert.deepEqual(paying.toSorted(), newest.toSorted());
  assert.equal(
    (await activityOf(database, partner, 'key.roll')).filter(({ status }) => status === 201).length,
    done.length,
  );
});

test('five keys stay five: each can be rolled, and no sixth is created', async () => {
  const { partner, admin } = await newPartner();
  for (let more = 0; more < 4; more += 1) await addKey(database, partner);
  const keys = valueAt((await callAs(admin, '/v1/keys')).json, 'data');
  assert(Array.isArray(keys) && keys.length === 5);
  for (const key of keys) assert.equal((await roll(admin, textAt(key, 'id'))).status, 201);
  assert.equal((await create(admin, {})).code, 'key_limit_reached');
});

test("another partner's key can't be rolled", async () => {
  const { admin } = await newPartner();
  const { partner: stranger } = await newPartner();
  for (const id of [stranger.keyId, randomUUID(), 'no-id'])
    assert.deepEqual([(await roll(admin, id)).status, await readStatus(stranger.key)], [404, 200], id);
});

test('every live key that pays, but the first ever, has a low limit for its first day; a roll changes nothing about it', async () => {
  const { partner, admin } = await newPartner();
  await change(
    `insert into kelpie.partner_environments (
       partner_id, environment, created_at, rail, bank_customer_id, bank_wallet_id
     ) values ($1, 'live', now(), 'provider_production', 'none', 'none')`,
    [partner.partnerId],
  );
  await change(`update kelpie.partners set verification_status = 'approved' where id = $1`, [partner.partnerId]);
  const live = async (body: object): Promise<ApiAnswer> => create(admin, { environment: 'live', ...body });
  const [reader, first] = [await live({ scope: 'read' }), await live({})];
  assert.deepEqual([fullLimitAt(reader), fullLimitAt(first)], [null, null]);
  assert.equal((await callAs(admin, `/v1/keys/${first.id}`, { method: 'DELETE' })).status, 200);
  const second = await live({});
  const aheadMs = Date.parse(String(fullLimitAt(second))) - Date.now();
  assert(aheadMs > 23 * hourMs && aheadMs <= 24 * hourMs, second.text);
  const rolled = await roll(admin, second.id);
  assert.equal(fullLimitAt(rolled), fullLimitAt(second));
  assert.equal(fullLimitAt(await create(admin, {})), null);
});

test('an operator revokes a key, of which every admin is emailed, and sees what it could do', async () => {
  const { partner, admin } = await newPartner();
  const { id, secret } = await createSecret(admin, { networks: ['127.0.0.1'], daily_limit_gbp: '20.00' });
  const command = async (...args: string[]) => kelpieAdmin(database, ['api-keys', ...args, '--json']);
  const [shown] = listAt((await command('list', partner.partnerId)).json(), 'data');
  assert.deepEqual(
    ['id', 'prefix', 'networks', 'daily_limit_pence', 'revoked_at'].map((field) => valueAt(shown, field)),
    [id, secret.slice(0, 19), ['127.0.0.1/32'], '2000', null],
  );
  const before = await countMails('key-revoked');
  const revoked = await command('revoke', id, '--reason', 'leaked');
  assert.equal(revoked.code, 0, revoked.said);
  assert.equal((await createPayout({ url, key: secret })).status, 401);
  const [recorded] = await activityOf(database, partner, 'key.revoke');
  assert.deepEqual([recorded?.by, recorded?.detail], ['Kelpie support', id]);
  assert.equal(await countMails('key-revoked'), before + 1);
  assert.equal(textAt((await command('revoke', id, '--reason', 'again')).json(), 'error.code'), 'nothing_to_do');
});

test('faults 66: a key stops at the instant it expires, while it is still remembered, and makes room for another', async () => {
  const { partner, admin } = await newPartner();
  for (let more = 0; more < 3; more += 1) await addKey(database, partner);
  const made = await createSecret(admin, { expires_at: new Date(Date.now() + 10 * 60_000).toISOString() });
  assert.equal((await create(admin, {})).code, 'key_limit_reached');
  // It does not outlive the key, however long the overlap.
  const rolled = await roll(admin, made.id);
  assert.equal(valueAt(rolled.json, 'previous_expires_at'), valueAt(rolled.json, 'expires_at'));
  const secrets = [made.secret, textAt(rolled.json, 'secret')];
  for (const key of secrets) assert.equal(await readStatus(key), 200);
  clock.move(11 * 60_000);
  for (const key of secrets) {
    assert.equal(await readStatus(key), 401);
    assert.equal((await createPayout({ url, key }, payoutBody())).status, 401);
  }
  assert.equal((await roll(admin, made.id)).code, 'not_found');
  assert.equal((await create(admin, {})).status, 201);
});

test('faults 67: a rolled secret stops when its overlap ends, and the new one goes on', async () => {
  const { admin } = await newPartner();
  const made = await createSecret(admin, {});
  const rolled = await roll(admin, made.id, { overlap_hours: 1 });
  const secret = textAt(rolled.json, 'secret');
  for (const key of [made.secret, secret]) assert.equal(await readStatus(key), 200);
  clock.move(hourMs);
  assert.deepEqual([await readStatus(made.secret), await readStatus(secret)], [401, 200]);
  const keys = valueAt((await call({ url, key: secret }, '/v1/keys')).json, 'data');
  assert(Array.isArray(keys));
  const shown: unknown = keys.find((key) => textAt(key, 'id') === made.id);
  assert.deepEqual([valueAt(shown, 'previous_key_prefix'), valueAt(shown, 'previous_expires_at')], [null, null]);
});
