import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startSandboxBank } from '@kelpie/sandbox-bank/test/harness.ts';
import { call, createPayout, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { plantRules, requestIn } from '../harness/approvals.ts';
import { operations, type Operation } from '../harness/contract.ts';
import { createTestDatabase } from '../harness/database.ts';
import { numberFirstEvent } from '../harness/numbered-event.ts';
import { plantWebhook } from '../harness/planted-webhook.ts';
import { addKey, addLiveEnvironment, createSimulatedPartner } from '../harness/partners.ts';
import { callAs, signIn } from '../harness/people.ts';
import { plantInvoice } from '../harness/planted-invoice.ts';
import { startApi } from '../harness/processes.ts';

// Everybody who can ask × everything that can be asked, from openapi.json and the rule of access that it has of each
// operation. A new operation is in it by itself.

const database = await createTestDatabase();
const bank = await startSandboxBank({ mode: 'live-stand-in', env: { BANK_API_KEY: 'sk-live-stand-in' } });
const { url } = await startApi({
  database,
  env: { KELPIE_LIVE_BANK_URL: bank.wireUrl, KELPIE_LIVE_BANK_API_KEY: bank.apiKey },
});
const [partner, other] = [await createSimulatedPartner(database), await createSimulatedPartner(database)];
const live = await addLiveEnvironment(database, bank, partner);
const payout = await createPayout({ url, key: partner.key });
const ruled = await addKey(database, partner);
await plantRules(database, partner, { keyIds: [ruled.keyId] });
const payoutRequestId = requestIn(await createPayout({ url, key: ruled.key }));
const eventId = await numberFirstEvent(database, { url, key: partner.key });
const webhook = await plantWebhook(database, { url, key: partner.key });
// Nobody asks as these: whoever may, can revoke the one and remove the other.
const { keyId } = await addKey(database, partner);
const reader = await addKey(database, partner, { scope: 'read' });
const uselessKeys = await Promise.all([
  addUselessKey(`networks = '{192.0.2.0/24,2001:db8::/32}'`),
  addUselessKey(`created_at = now() - interval '1 hour', expires_at = now() - interval '1 minute'`),
  addUselessKey(`revoked_at = now()`),
]);
const invoiceId = await plantInvoice(database, partner.partnerId);
const member = await signIn(database, partner, { url, role: 'viewer' });

const passkeyId = randomUUID();
await asAdmin(database.superuserUrl, async (client) =>
  client.query(
    `insert into kelpie.passkeys (id, partner_id, email, name, credential_id, public_key, counter, transports, created_at)
     values ($1, $2, $3, 'Laptop', 'planted', 'planted', 0, '{}', now())`,
    [passkeyId, partner.partnerId, member.email],
  ),
);

/** A key that is right, but for one thing. */
async function addUselessKey(change: string): Promise<string> {
  const { key, keyId: id } = await addKey(database, partner);
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`update kelpie.api_keys set ${change} where id = $1`, [id]),
  );
  return key;
}

async function askUselessly(operation: Operation, key: string | undefined): Promise<ApiAnswer> {
  assert(key !== undefined);
  return call({ url, key }, addressOf(operation, 'sandbox'), emptyRequest(operation));
}

/** Each signs in for one request: what it asks for may be to sign out. */
const asViewer = async () => signIn(database, partner, { url, role: 'viewer', email: 'viewer@matrix.test' });
const asAdminOf = async (of: typeof partner) =>
  signIn(database, of, { url, email: `admin-${of.partnerId.slice(-12)}@matrix.test` });

/** What an address is about: of the partner, and of no other. */
const things: readonly (readonly [start: string, id: string])[] = [
  ['/v1/payouts/', payout.id],
  ['/v1/payout-requests/', payoutRequestId],
  ['/v1/sandbox/payouts/', payout.id],
  ['/v1/events/', eventId],
  ['/v1/webhooks/', webhook.id],
  ['/v1/invoices/', invoiceId],
  ['/v1/auth/sessions/', member.sessionId],
  ['/v1/keys/', keyId],
  ['/v1/passkeys/', passkeyId],
  ['/v1/members/', encodeURIComponent(member.email)],
  ['/v1/public/partners/', `p-${partner.partnerId.slice(-12)}`],
];

function addressOf({ path }: Operation, environment: string): string {
  if (!path.includes('{')) return `${path}?environment=${environment}`;
  const [, id] = things.find(([start]) => path.startsWith(start)) ?? [];
  assert(id !== undefined, `say what ${path} is asked about`);
  return `${path.replace('{event_id}', webhook.eventId).replace(/\{\w+\}/, id)}?environment=${environment}`;
}

const looks = new Set(['GET', 'HEAD']);

/** Nothing that could be done: who may ask hears what is wrong with it, and who may not does not get so far. */
function emptyRequest({ method }: Operation) {
  return looks.has(method) || method === 'DELETE'
    ? { method }
    : { method, body: {}, headers: { 'idempotency-key': randomUUID() } };
}

const callers = {
  'no one': async (operation: Operation) =>
    call({ url, key: null }, addressOf(operation, 'sandbox'), emptyRequest(operation)),
  'a sandbox key': async (operation: Operation) =>
    call({ url, key: partner.key }, addressOf(operation, 'live'), emptyRequest(operation)),
  'a live key': async (operation: Operation) =>
    call({ url, key: live.key }, addressOf(operation, 'sandbox'), emptyRequest(operation)),
  'a read key': async (operation: Operation) =>
    call({ url, key: reader.key }, addressOf(operation, 'sandbox'), emptyRequest(operation)),
  'a key from outside its networks': async (operation: Operation) => askUselessly(operation, uselessKeys[0]),
  'an expired key': async (operation: Operation) => askUselessly(operation, uselessKeys[1]),
  'a revoked key': async (operation: Operation) => askUselessly(operation, uselessKeys[2]),
  'a viewer': async (operation: Operation) =>
    callAs(await asViewer(), addressOf(operation, 'sandbox'), emptyRequest(operation)),
  // Before the admin: what that one removes would not be there for anybody.
  "another partner's admin": async (operation: Operation) =>
    callAs(await asAdminOf(other), addressOf(operation, 'sandbox'), emptyRequest(operation)),
  'an admin': async (operation: Operation) =>
    callAs(await asAdminOf(partner), addressOf(operation, 'live'), emptyRequest(operation)),
} as const;
type CallerName = keyof typeof callers;

const unknown = {
  'no one': '401 unauthorized',
  'a key from outside its networks': '401 unauthorized',
  'an expired key': '401 unauthorized',
  'a revoked key': '401 unauthorized',
} as const;

/** How each rule answers each who may not; whoever is not named may. */
const refused: Readonly<Record<string, Partial<Record<CallerName, string>>>> = {
  anybody: {},
  readers: { ...unknown },
  payers: { ...unknown, 'a read key': '403 api_key_required', 'a viewer': '403 api_key_required' },
  people: {
    ...unknown,
    'a sandbox key': '403 session_required',
    'a live key': '403 session_required',
    'a read key': '403 session_required',
  },
  admins: {
    ...unknown,
    'a sandbox key': '403 session_required',
    'a live key': '403 session_required',
    'a read key': '403 session_required',
    'a viewer': '403 api_key_required',
  },
};

/** The one asks with a live key, and the other about live. */
const sandboxOnly = { 'a live key': '403 sandbox_only', 'an admin': '403 sandbox_only' } as const;

function refusedBy({ access, path }: Operation): Partial<Record<CallerName, string>> {
  return { ...refused[access], ...(path.startsWith('/v1/sandbox/') ? sandboxOnly : {}) };
}

const ofAccess = new Set([
  'unauthorized',
  'api_key_required',
  'session_required',
  'cross_site_request',
  'verification_required',
  'sandbox_only',
]);

function accessAnswer({ status, code }: ApiAnswer): string {
  return ofAccess.has(code) ? `${status} ${code}` : 'may';
}

test('the description has a rule of access for every operation, and every rule is one that is known', () => {
  assert(operations.length >= 16);
  for (const { id, access } of operations) assert(access in refused, `${id}: ${access}`);
});

for (const operation of operations) {
  const { id, access, path } = operation;
  for (const [name, asks] of Object.entries(callers)) {
    const expected = Object.entries(refusedBy(operation)).find(([caller]) => caller === name)?.[1] ?? 'may';
    test(`${id}, for ${access}: ${name} ${expected === 'may' ? 'may ask' : `is answered ${expected}`}`, async () => {
      const answer = await asks(operation);
      assert.equal(accessAnswer(answer), expected, answer.text);
      assert.notEqual(answer.status, 500);
      const isForeign = name === "another partner's admin" && path.includes('{') && access !== 'anybody';
      // A body that is wrong may be told before anything is looked up; what is looked up is not there.
      if (isForeign) assert(answer.status === 404 || answer.status === 422, answer.text);
    });
  }
}

const guarded = operations.filter(({ access }) => access !== 'anybody');

for (const operation of guarded) {
  test(`faults 51: ${operation.id} is refused to a browser that is signed in, from a page of another site`, async () => {
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://elsewhere.test' },
      { origin: 'null' },
    ];
    const person = await asAdminOf(partner);
    for (const headers of foreign) {
      const { headers: own, ...request } = { headers: {}, ...emptyRequest(operation) };
      const answer = await callAs(person, addressOf(operation, 'sandbox'), {
        ...request,
        headers: { ...own, ...headers },
      });
      assert.equal(accessAnswer(answer), '403 cross_site_request', JSON.stringify(headers));
    }
  });
}

for (const operation of guarded.filter(({ method }) => !looks.has(method))) {
  test(`faults 51: ${operation.id} is refused to a browser that does not say where it was asked from`, async () => {
    const { cookie } = await asAdminOf(partner);
    const { headers: own, ...request } = { headers: {}, ...emptyRequest(operation) };
    const address = addressOf(operation, 'sandbox');
    const answer = await call({ url, key: null }, address, { ...request, headers: { ...own, cookie } });
    assert.equal(accessAnswer(answer), '403 cross_site_request');
  });
}

/** All rows of ours, but for the list of what was asked and the counts of how often. */
async function everyRow(): Promise<Record<string, string>> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('kelpie', 'pgboss') and c.relkind in ('r', 'p') and not c.relispartition
         and c.relname not in ('activity', 'activity_pages', 'rate_buckets') order by 1`,
    );
    const found: Record<string, string> = {};
    for (const { name } of rows) {
      const { rows: sums } = await client.query<{ sum: string }>(
        // That a key or a session was used is written a moment later, whatever became of the request.
        `select coalesce(md5(string_agg(row, '|' order by row)), 'none') as sum
         from (select (to_jsonb(t) - '{last_used_at,last_seen_at}'::text[])::text as row from ${name} t) as rows`,
      );
      found[name] = sums[0]?.sum ?? '';
    }
    return found;
  });
}

/** What a key of scope read may ask for by another method than GET: it computes an answer, and writes nothing. */
const harmless = new Set(['createQuote']);

test('faults 46: a key of scope read that tries every write is refused always, and nothing changes', async () => {
  const writes = operations.filter(({ id, method, access }) => {
    return !looks.has(method) && access !== 'anybody' && !harmless.has(id);
  });
  assert(writes.length >= 10);
  const before = await everyRow();
  for (const operation of writes) {
    const body = operation.id === 'createPayout' ? payoutBody({ amount_gbp: '5.00' }) : {};
    const request = operation.method === 'DELETE' ? {} : { body, headers: { 'idempotency-key': randomUUID() } };
    const address = addressOf(operation, 'sandbox');
    const answer = await call({ url, key: reader.key }, address, { method: operation.method, ...request });
    const code = operation.access === 'payers' ? 'api_key_required' : 'session_required';
    assert.deepEqual([answer.status, answer.code], [403, code], `${operation.id} ${answer.text}`);
  }
  assert.deepEqual(await everyRow(), before);
});

test('faults 46: a viewer who tries every write is refused always, in both environments, and nothing changes', async () => {
  const writes = operations.filter(({ method, access }) => !looks.has(method) && ['payers', 'admins'].includes(access));
  assert(writes.length >= 2);
  const viewer = await asViewer();
  const before = await everyRow();
  assert(Object.keys(before).length > 20 && before['kelpie.payouts'] !== 'none');
  for (const operation of writes) {
    for (const environment of ['sandbox', 'live', 'nonsense']) {
      const body = operation.id === 'createPayout' ? payoutBody({ amount_gbp: '5.00' }) : {};
      const request = operation.method === 'DELETE' ? {} : { body, headers: { 'idempotency-key': randomUUID() } };
      const answer = await callAs(viewer, addressOf(operation, environment), { method: operation.method, ...request });
      assert.deepEqual([answer.status, answer.code], [403, 'api_key_required'], `${operation.id} ${answer.text}`);
    }
  }
  assert.deepEqual(await everyRow(), before);
});
