import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test, type TestContext } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { request } from 'undici';
import { call, createPayout, payoutBody, type ApiAnswer, type Client } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { assertBooksHold } from '../harness/invariants.ts';
import { addKey, createSimulatedPartner } from '../harness/partners.ts';
import { defaultLimits, startApi } from '../harness/processes.ts';

const database = await createTestDatabase();
const startDefaultApi = async (env = {}) => startApi({ database, env: { ...defaultLimits, ...env } });
const apis = await Promise.all([startDefaultApi(), startDefaultApi(), startDefaultApi()]);
const [api] = apis;

/** The same partner's key, as each process knows it. */
async function newKey(): Promise<{ partnerId: string; clients: Client[]; client: Client }> {
  const { partnerId, key } = await createSimulatedPartner(database);
  return { partnerId, clients: apis.map(({ url }) => ({ url, key })), client: { url: api.url, key } };
}

const list = async (client: Client): Promise<ApiAnswer> => call(client, '/v1/payouts?limit=1');

/** The same, with as little work for whoever asks as there can be: a flood must not be held up by its own client. */
async function askForStatus({ url, key }: Client): Promise<{ status: number }> {
  const { statusCode, body } = await request(`${url}/v1/payouts?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await body.dump();
  return { status: statusCode };
}

interface Flood<Answer> {
  /** Answers by their status. */
  counts: Map<number, number>;
  total: number;
  seconds: number;
  answers: Answer[];
}

/** Asks every process without a pause, by some lanes each, for so long. */
async function flood<Answer extends { status: number }>(
  clients: readonly Client[],
  ask: (client: Client) => Promise<Answer>,
  { seconds, lanes = 6 }: { seconds: number; lanes?: number },
): Promise<Flood<Answer>> {
  const answers: Answer[] = [];
  const begun = performance.now();
  const lane = async (client: Client): Promise<void> => {
    while (performance.now() - begun < seconds * 1_000) answers.push(await ask(client));
  };
  await Promise.all(clients.flatMap((client) => Array.from({ length: lanes }, async () => lane(client))));
  const took = (performance.now() - begun) / 1_000;
  const counts = new Map(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]),
  );
  return { counts, total: answers.length, seconds: took, answers };
}

function assertWithinATenth(context: TestContext, admitted: number, allowed: number): void {
  context.diagnostic(`${admitted} admitted, ${allowed.toFixed(0)} allowed`);
  const off = Math.abs(admitted - allowed) / allowed;
  assert(off <= 0.1, `${admitted} were admitted, where ${allowed.toFixed(0)} were allowed`);
}

function limitHeaders({ headers }: ApiAnswer): (string | null)[] {
  return ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) => headers.get(name));
}

async function sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(text, values)).rows);
}

test('three processes that are flooded with one key admit together what the key is allowed, within a tenth', async (context) => {
  const { clients } = await newKey();
  const { counts, total, seconds } = await flood(clients, askForStatus, { seconds: 4 });
  assert.deepEqual(new Set(counts.keys()), new Set([200, 429]));
  assert(total > 2 * (200 + 100 * seconds), `${total} requests are no flood`);
  assertWithinATenth(context, counts.get(200) ?? 0, 200 + 100 * seconds);
});

test('payouts have a limit of their own, shared the same way, and what is refused pays nothing', async (context) => {
  const { clients, partnerId } = await newKey();
  const { counts, answers, seconds } = await flood(clients, createPayout, { seconds: 4, lanes: 3 });
  assert.deepEqual(new Set(counts.keys()), new Set([201, 429]));
  const made = counts.get(201) ?? 0;
  assertWithinATenth(context, made, 100 + 25 * seconds);
  const limits = new Set(answers.filter(({ status }) => status === 201).map((answer) => limitHeaders(answer)[0]));
  assert.deepEqual([...limits], ['100']);
  const [row] = await sql<{ count: number }>('select count(*)::int from kelpie.payouts where partner_id = $1', [
    partnerId,
  ]);
  assert.equal(row?.count, made);
  await assertBooksHold(database);
});

test('an answer within the limit says what is left; one beyond it is 429, says so in words and when to come back', async () => {
  const { client } = await newKey();
  const first = await list(client);
  assert.deepEqual([first.status, ...limitHeaders(first)], [200, '200', '199', '1', null]);
  const answers = await Promise.all(Array.from({ length: 400 }, async () => list(client)));
  const refused = answers.find(({ status }) => status === 429);
  assert(refused !== undefined);
  assert.deepEqual(limitHeaders(refused), ['200', '0', '2', '1']);
  assert.deepEqual(refused.json, {
    error: {
      code: 'rate_limited',
      message: 'Too many requests. Retry after the number of seconds in Retry-After.',
    },
  });
  assert.match(refused.headers.get('request-id') ?? '', /^[0-9a-f-]{36}$/);
});

test('whoever keeps to the limit is never refused: thirty payouts at once, and some hundred requests', async () => {
  const { client } = await newKey();
  const made = await Promise.all(Array.from({ length: 30 }, async () => createPayout(client)));
  assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
  const read = await Promise.all(Array.from({ length: 150 }, async () => list(client)));
  assert.deepEqual(new Set(read.map(({ status }) => status)), new Set([200]));
});

test('another key of the same partner has its own bucket', async () => {
  const { client, partnerId } = await newKey();
  await Promise.all(Array.from({ length: 400 }, async () => list(client)));
  const { key } = await addKey(database, { partnerId, environment: 'sandbox' });
  const answer = await list({ url: api.url, key });
  assert.deepEqual([answer.status, ...limitHeaders(answer)], [200, '200', '199', '1', null]);
});

test('a raised partner has its factor of both limits', async () => {
  const { client, partnerId } = await newKey();
  await sql('update kelpie.partners set rate_factor = 3 where id = $1', [partnerId]);
  assert.equal(limitHeaders(await list(client))[0], '600');
  assert.equal(limitHeaders(await createPayout(client))[0], '300');
  const answers = await Promise.all(Array.from({ length: 550 }, async () => list(client)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
});

async function postUnreadable(client: Client): Promise<ApiAnswer> {
  return call(client, '/v1/payouts', { method: 'POST', body: '{"amount_gbp":' });
}

test('the limit is looked at after the key and before all else: 401, then 429, then 400', async () => {
  const { client } = await newKey();
  const answers = await Promise.all(Array.from({ length: 150 }, async () => postUnreadable(client)));
  const codes = Map.groupBy(answers, ({ status, code }) => `${status} ${code}`);
  assert.deepEqual([...codes.keys()].toSorted(), ['400 idempotency_key_required', '429 rate_limited']);
  const answer = await postUnreadable({ ...client, key: 'kp_sandbox_none' });
  assert.deepEqual([answer.status, limitHeaders(answer)[0]], [401, '300']);
});

test('a replay is a request like any other, and pays nothing twice when it was refused in between', async () => {
  const { client } = await newKey();
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 130 }, async () => createPayout(client, payoutBody(), key)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 201, 429]));
  assert.equal(new Set(answers.filter(({ status }) => status < 300).map(({ id }) => id)).size, 1);
});

async function countWrites(): Promise<number> {
  const [row] = await sql<{ writes: number }>(
    `select (n_tup_ins + n_tup_upd)::int as writes from pg_stat_user_tables where relname = 'rate_buckets'`,
  );
  return row?.writes ?? 0;
}

test('a request as a rule writes nothing: a flood costs the database twenty calls a second and process at most', async (context) => {
  const two = await Promise.all([startDefaultApi(), startDefaultApi()]);
  const { key } = await createSimulatedPartner(database);
  // A connection tells what it did when it ends, so all that were there before have to be ended too.
  await Promise.all(apis.map(async (one) => one.stop()));
  const before = await countWrites();
  const { total, seconds } = await flood(
    two.map(({ url }) => ({ url, key })),
    askForStatus,
    { seconds: 3 },
  );
  await Promise.all(two.map(async (one) => one.stop()));
  const writes = (await countWrites()) - before;
  context.diagnostic(`${writes} writes for ${total} requests in ${seconds.toFixed(1)} s`);
  assert(writes > 0, 'nothing was counted');
  // Besides the pace of an empty bucket there are the lots of the burst.
  assert(writes <= 2 * 20 * seconds + 40, `${writes} writes`);
  assert(writes < total / 10, `${writes} writes for ${total} requests`);
});

test('without a good key an address has 300 requests a minute, over all processes and open routes', async (context) => {
  const two = await Promise.all([startDefaultApi(), startDefaultApi()]);
  await sql(`delete from kelpie.rate_buckets where subject like 'open:%'`);
  const { key } = await createSimulatedPartner(database);
  const anybody = two.flatMap(({ url }) => [
    { url, key: '' },
    { url, key: `kp_sandbox_${'0'.repeat(48)}` },
  ]);
  const begun = performance.now();
  const wrong = await Promise.all(anybody.flatMap((one) => Array.from({ length: 65 }, async () => list(one))));
  assert.deepEqual(new Set(wrong.map(({ status }) => status)), new Set([401]));
  const open = await Promise.all(
    anybody.flatMap((one) => ['/', '/v1'].flatMap((path) => Array.from({ length: 20 }, async () => call(one, path)))),
  );
  const seconds = (performance.now() - begun) / 1_000;
  const admitted = open.filter(({ status }) => status === 200).length;
  assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([200, 429]));
  assertWithinATenth(context, wrong.length + admitted, 300 + 5 * seconds);
  const refused = open.find(({ status }) => status === 429);
  assert(refused !== undefined);
  assert.deepEqual(limitHeaders(refused).toSpliced(2, 1), ['300', '0', '1']);
  const [first] = two;
  assert.equal((await list({ url: first.url, key })).status, 200, 'a good key does not count by its address');
  const health = await fetch(`${first.url}/healthz`);
  assert.deepEqual([health.status, health.headers.get('ratelimit-limit')], [200, null]);
});

async function askFor(forwarded: string, { url }: { url: string }): Promise<number> {
  const { status } = await call({ url, key: '' }, '/v1/balance', { headers: { 'x-forwarded-for': forwarded } });
  return status;
}

test('X-Forwarded-For is believed only from a proxy that we trust, and an IPv6 address counts by its /64', async () => {
  const limits = { KELPIE_OPEN_REQUESTS_PER_MINUTE: '1' };
  const [careful, trusting] = await Promise.all([
    startDefaultApi(limits),
    startDefaultApi({ ...limits, KELPIE_TRUSTED_PROXIES: '127.0.0.0/8' }),
  ]);
  await sql(`delete from kelpie.rate_buckets where subject like 'open:%'`);
  assert.equal(await askFor('192.0.2.1', careful), 401);
  assert.equal(await askFor('192.0.2.2', careful), 429);
  assert.equal(await askFor('192.0.2.1', trusting), 401);
  assert.equal(await askFor('192.0.2.2', trusting), 401);
  assert.equal(await askFor('192.0.2.9, 192.0.2.2', trusting), 429);
  assert.equal(await askFor('2001:db8::1', trusting), 401);
  assert.equal(await askFor('2001:db8::2', trusting), 429);
  assert.equal(await askFor('2001:db8:0:1::1', trusting), 401);
});

test('where the database can not be reached, a limit is no reason to refuse', async () => {
  const url = new URL(database.serviceUrl);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  after(proxy.close);
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  const cutOff = await startApi({ database: { serviceUrl: url.href }, env: defaultLimits });
  proxy.setFault({ kind: 'black-hole' });
  const answers = await Promise.all(Array.from({ length: 400 }, async () => call({ url: cutOff.url, key: '' }, '/')));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const [answer] = answers;
  assert(answer !== undefined);
  assert.deepEqual(limitHeaders(answer), [null, null, null, null]);
});
