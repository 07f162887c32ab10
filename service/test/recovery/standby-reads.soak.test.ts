import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt, textAt, valueAt } from '@kelpie/dev/json.ts';
import { startOwnServer } from '@kelpie/dev/postgres/own-server.ts';
import { beginAudit, prepareDatabase, urlsOf } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { call, createPayout } from '../harness/client.ts';
import { readMetric } from '../harness/metrics.ts';
import type { TestPartner } from '../harness/partners.ts';
import type { ApiProcess } from '../harness/processes.ts';
import { testSecrets } from '../harness/secrets.ts';
import { startWorld } from '../harness/world.ts';

// Two apis read from a standby of their own database. No commit waits for it, so that it can be any distance behind.

const primary = await startOwnServer();
after(async () => primary.remove());
const urls = await prepareDatabase(primary.adminUrl);
await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
const standby = await primary.addSynchronousStandby();
await asAdmin(primary.adminUrl, async (admin) => {
  await admin.query('alter system reset synchronous_standby_names');
  await admin.query('select pg_reload_conf()');
});
const database = { ...urls, superuserUrl: urlFor(primary.adminUrl, 'kelpie') };
const env = { KELPIE_STANDBY_DATABASE_URL: urlsOf(standby.adminUrl, 'kelpie').serviceUrl };
const world = await startWorld({ database, env });
const apis = [world.api, await world.addApi()];

type Outcome = 'answered' | 'behind' | 'elsewhere' | 'unavailable' | 'stopped' | 'paused';

/** Reads of both apis that ended so. */
async function count(outcome: Outcome, of: readonly ApiProcess[] = apis): Promise<number> {
  const counts = await Promise.all(
    of.map(async ({ metricsUrl }) => readMetric(new URL(metricsUrl).origin, 'kelpie_standby_reads_total', { outcome })),
  );
  return counts.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

/** How many more reads ended so by the work. */
async function counted(outcome: Outcome, work: () => Promise<unknown>): Promise<number> {
  const before = await count(outcome);
  await work();
  return (await count(outcome)) - before;
}

async function onStandby(sql: string): Promise<void> {
  await asAdmin(urlFor(standby.adminUrl, 'kelpie'), async (admin) => admin.query(sql));
}

/** A partner whose payouts are counted. What is counted is kept for a second, so each is asked about less often than that. */
interface Payer {
  partner: TestPartner;
  created: number;
  countedAt: number;
}

const payers: Payer[] = await Promise.all(
  Array.from({ length: 16 }, async () => ({ partner: await world.addPartner(), created: 0, countedAt: 0 })),
);
const keptMs = 1_100;
const month = new Date().toISOString().slice(0, 7);

interface Read {
  what: string;
  showsAll: boolean;
  tookMs: number;
}

async function read(
  api: ApiProcess,
  { partner }: Payer,
  path: string,
  shows: (text: string, json: unknown) => boolean,
) {
  const startedAt = performance.now();
  const { status, text, json } = await call({ url: api.url, key: partner.key }, path);
  assert.equal(status, 200, `${path}: ${text}`);
  return { what: path, showsAll: shows(text, json), tookMs: performance.now() - startedAt };
}

/** Creates a payout through one api, and reads through the other at once. */
async function payAndRead(payer: Payer, at: number): Promise<Read[]> {
  const [writer, reader] = at % 2 === 0 ? apis : apis.toReversed();
  assert(writer !== undefined && reader !== undefined);
  const { status, id, text } = await createPayout({ url: writer.url, key: payer.partner.key });
  assert.equal(status, 201, text);
  payer.created += 1;
  const has = (body: string): boolean => body.includes(id);
  const reads = [
    read(reader, payer, '/v1/payouts?limit=1', has),
    read(reader, payer, '/v1/payouts?status=pending,processing,completed', has),
    read(reader, payer, '/v1/payouts.csv', has),
  ];
  const countsAnew = performance.now() - payer.countedAt > keptMs;
  if (countsAnew) {
    const { created } = payer;
    reads.push(
      read(reader, payer, '/v1/usage', (_, json) => valueAt(json, 'payouts.count') === created),
      read(reader, payer, `/v1/statement?month=${month}&limit=200`, has),
      read(reader, payer, `/v1/statement?month=${month}&format=csv`, has),
    );
  }
  const found = await Promise.all(reads);
  // Only now is it certain that the api had counted: it remembers from there on.
  if (countsAnew) payer.countedAt = performance.now();
  return found;
}

/** Every partner's payouts one after the other, and some partners at once. Every read must show the payout before it. */
async function payAndReadAll(rounds: number): Promise<{ reads: number; slowestMs: number }> {
  const reads = await Promise.all(
    Array.from({ length: 4 }, async (_, lane) => {
      const found: Read[] = [];
      for (let at = lane; at < rounds; at += 4) {
        const payer = payers[at % payers.length];
        assert(payer !== undefined);
        found.push(...(await payAndRead(payer, at)));
      }
      return found;
    }),
  );
  const all = reads.flat();
  assert.deepEqual(
    all.filter(({ showsAll }) => !showsAll).map(({ what }) => what),
    [],
  );
  return { reads: all.length, slowestMs: Math.round(Math.max(...all.map(({ tookMs }) => tookMs))) };
}

async function isAnswering(): Promise<boolean> {
  return (await counted('paused', async () => payAndReadAll(8))) === 0;
}

/** Until the standby answers both apis again. */
async function untilAnswered(): Promise<void> {
  await eventually('the standby answers both apis', isAnswering, 60_000);
}

test('every list, export and report is answered by a standby that keeps up', async () => {
  await untilAnswered();
  const [api] = apis;
  const [payer] = payers;
  assert(api !== undefined && payer !== undefined);
  const client = { url: api.url, key: payer.partner.key };
  for (const path of [
    '/v1/payouts',
    '/v1/payouts?reference=none',
    '/v1/payouts.csv',
    '/v1/recipients',
    '/v1/usage',
    '/v1/usage/days',
    `/v1/statement?month=${month}`,
    '/v1/invoices',
    '/v1/events',
    '/v1/activity',
    '/v1/security-events',
  ]) {
    const answered = await counted('answered', async () => {
      assert.equal((await call(client, path)).status, 200);
    });
    assert(answered > 0, path);
  }
  assert.equal(await count('stopped'), 0);
});

test('the primary answers what money hangs on: one payout, its key, and the balance', async () => {
  const [payer] = payers;
  assert(payer !== undefined);
  const client = { url: world.api.url, key: payer.partner.key };
  const { id } = await createPayout(client, undefined, 'a-key-to-be-found');
  payer.created += 1;
  const answered = await counted('answered', async () => {
    assert.equal((await call(client, `/v1/payouts/${id}`)).status, 200);
    assert.equal((await call(client, '/v1/balance')).status, 200);
    const { json } = await call(client, '/v1/payouts?idempotency_key=a-key-to-be-found');
    assert.equal(textAt(listAt(json, 'data')[0], 'id'), id);
  });
  assert.equal(answered, 0);
});

test('faults 88: a caller sees what it wrote by another api, and nearly every read is answered by the standby', async (t) => {
  let made = { reads: 0, slowestMs: 0 };
  const answered = await counted('answered', async () => {
    made = await payAndReadAll(200);
  });
  t.diagnostic(`${made.reads} reads, ${answered} calls by the standby, ${await count('behind')} behind`);
  assert(answered > made.reads / 2);
});

test('faults 88: while the standby replays nothing, no caller sees less than it wrote', async (t) => {
  await onStandby('select pg_wal_replay_pause()');
  const behind = await counted('behind', async () => {
    const { reads, slowestMs } = await payAndReadAll(80);
    t.diagnostic(`${reads} reads, slowest ${slowestMs} ms`);
  });
  await onStandby('select pg_wal_replay_resume()');
  assert(behind > 0);
});

test('faults 88: the same 5 s behind', async (t) => {
  await onStandby(`alter system set recovery_min_apply_delay = '5s'`);
  await onStandby('select pg_reload_conf()');
  const behind = await counted('behind', async () => {
    const { reads, slowestMs } = await payAndReadAll(80);
    t.diagnostic(`${reads} reads, slowest ${slowestMs} ms`);
  });
  await onStandby('alter system reset recovery_min_apply_delay');
  await onStandby('select pg_reload_conf()');
  assert(behind > 0);
});

for (const [what, stop, start] of [
  ['killed', async () => standby.stop('immediate'), async () => standby.start()],
  ['frozen', async () => standby.freeze(), async () => standby.thaw()],
] as const)
  test(`faults 88: the standby is ${what} under reads: the primary answers, and no caller sees an error`, async (t) => {
    await untilAnswered();
    const before = await count('answered');
    const unavailable = await counted('unavailable', async () => {
      const under = payAndReadAll(120);
      await eventually('the standby answered some', async () => (await count('answered')) > before + 20);
      await stop();
      const { reads, slowestMs } = await under;
      t.diagnostic(`${reads} reads, slowest ${slowestMs} ms`);
    });
    t.diagnostic(`${unavailable} found the standby away`);
    assert(unavailable > 0);
    await start();
    await untilAnswered();
  });

test('faults 88: a statement that the standby cancels is answered by the primary', async (t) => {
  await untilAnswered();
  const done = new AbortController();
  const cancelling = (async () => {
    while (!done.signal.aborted)
      await onStandby(
        `select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'kelpie-api-reads'`,
      );
  })();
  const stopped = await counted('stopped', async () => {
    const { reads } = await payAndReadAll(100);
    t.diagnostic(`${reads} reads`);
  });
  done.abort();
  await cancelling;
  t.diagnostic(`${stopped} cancelled`);
  assert(stopped > 0);
});

test('a standby is not read as a role that row security does not bind', async () => {
  const superuser = await world.addApi({ KELPIE_STANDBY_DATABASE_URL: urlFor(standby.adminUrl, 'kelpie') });
  const [payer] = payers;
  assert(payer !== undefined);
  assert.equal((await call({ url: superuser.url, key: payer.partner.key }, '/v1/payouts')).status, 200);
  assert.deepEqual([await count('answered', [superuser]), await count('elsewhere', [superuser])], [0, 1]);
  await superuser.stop();
});

test('faults 88: a standby that was promoted by itself, and writes on, answers nothing', async () => {
  await untilAnswered();
  await standby.promote();
  // It gets far ahead of the primary, so that its place in the log alone says nothing.
  await onStandby(`select pg_logical_emit_message(false, 'test', repeat('x', 1000000)) from generate_series(1, 20)`);
  const answered = await counted('answered', async () => payAndReadAll(80));
  assert.equal(answered, 0);
  assert((await count('elsewhere')) > 0);
});
