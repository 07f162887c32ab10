import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startOwnServer } from '@kelpie/dev/postgres/own-server.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { call, payoutBody, type ApiAnswer } from '../harness/client.ts';
import { assertAllHolds } from '../harness/invariants.ts';
import { testSecrets } from '../harness/secrets.ts';
import { startRecoveryWorld } from './restoring.ts';

// A primary with a synchronous standby, reached through a proxy as through a virtual address. In this order: the standby goes
// away and comes back, the primary dies, the standby takes over, and the old primary returns.

const primary = await startOwnServer();
after(async () => primary.remove());
const target = { host: '127.0.0.1', port: primary.port };
const proxy = await startTcpProxy(target);
after(proxy.close);
const address = new URL(primary.adminUrl);
address.port = String(proxy.port);
const urls = await prepareDatabase(address.href);
await beginAudit(urls, testSecrets.KELPIE_AUDIT_KEY);
const standby = await primary.addSynchronousStandby();
const database = { ...urls, superuserUrl: urlFor(address.href, 'kelpie') };
const world = await startRecoveryWorld({ database });
const body = payoutBody({ amount_gbp: '3.00' });
const acknowledged: string[] = [];

/** Only what was answered with success counts as acknowledged. A connection that broke is no answer. */
async function pay(key: string = randomUUID()): Promise<ApiAnswer | null> {
  const answer = await world.pay(key, body).catch(() => null);
  if (answer?.status === 201 || answer?.status === 200) acknowledged.push(answer.id);
  return answer;
}

/** Until the same key is answered with its payout, as a caller would. */
async function payUntilAnswered(key: string, withinMs: number): Promise<ApiAnswer> {
  return eventually(
    'an answer',
    async () => {
      const answer = await pay(key);
      return answer !== null && (answer.status === 201 || answer.status === 200) ? answer : undefined;
    },
    withinMs,
  );
}

/** Of all of our processes, or of those connections that have this name. */
async function countWaiting(applicationName: string | null = null): Promise<number> {
  return asAdmin(urlFor(primary.adminUrl, 'kelpie'), async (admin) => {
    const { rows } = await admin.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where wait_event = 'SyncRep' and usename = 'kelpie_service' and application_name = coalesce($1, application_name)`,
      [applicationName],
    );
    return rows[0]?.count ?? 0;
  });
}

async function cancelWaits(): Promise<void> {
  await asAdmin(urlFor(primary.adminUrl, 'kelpie'), async (admin) =>
    admin.query(
      `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and usename = 'kelpie_service'`,
    ),
  );
}

/** What a caller waits for, and a little for a machine that is busy with other tests. */
const answeredWithinMs = 10_000 + 2_000;
const stallMs = 30_000;
/** The pool, the engine's connections and the probe's, of the api and of the worker. */
const mostWaiting = 2 * 12;

interface Paid {
  key: string;
  status: number | null;
  tookMs: number;
}

/** Pays ten times a second, each with a key of its own, until it is told to stop. */
function payAllTheTime(): { stop(): Promise<Paid[]> } {
  const paid: Promise<Paid>[] = [];
  const timer = setInterval(() => {
    const key = randomUUID();
    const startedAt = performance.now();
    paid.push(
      pay(key).then((answer) => ({ key, status: answer?.status ?? null, tookMs: performance.now() - startedAt })),
    );
  }, 100);
  return {
    async stop() {
      clearInterval(timer);
      return Promise.all(paid);
    },
  };
}

async function readReadiness(): Promise<unknown> {
  return (await fetch(`${world.api.url}/readyz`)).json();
}

test('faults 9: while the standby hangs, each request is answered within 10 s and none with success', async (t) => {
  assert.equal((await pay())?.status, 201);
  await standby.freeze();
  const before = acknowledged.length;
  const paying = payAllTheTime();
  await eventually('a commit waits', async () => (await countWaiting()) > 0);
  await eventually('it says so', async () =>
    isDeepStrictEqual(await readReadiness(), { status: 'ready', writes: false }),
  );
  const startedAt = performance.now();
  const counts: number[] = [];
  // Reads are served, and what waits in the server does not grow.
  while (performance.now() - startedAt < stallMs) {
    counts.push(await countWaiting());
    await eventually(
      'a read',
      async () => (await call({ url: world.api.url, key: world.partner.key }, '/v1/payouts')).status === 200,
      4_000,
    );
    await wait(1_000);
  }
  const paid = await paying.stop();
  assert.equal(acknowledged.length, before, 'a payout was acknowledged without its standby');
  for (const { status, tookMs } of paid) {
    assert.equal(status, 503);
    assert(tookMs < answeredWithinMs, `${tookMs} ms`);
  }
  const most = Math.max(...counts);
  assert(most > 0 && most <= mostWaiting, `${most} connections wait for the standby`);
  const slowest = Math.round(Math.max(...paid.map(({ tookMs }) => tookMs)));
  t.diagnostic(`${paid.length} requests, the slowest ${slowest} ms; at most ${most} connections wait`);
  await standby.thaw();
  // Each key pays once, whatever became of its first request: assertAllHolds compares with the bank.
  await Promise.all(paid.slice(0, 40).map(async ({ key }) => payUntilAnswered(key, 60_000)));
  await eventually('it says so', async () =>
    isDeepStrictEqual(await readReadiness(), { status: 'ready', writes: true }),
  );
});

test("faults 9: an operator's command that is not confirmed ends, and says how to find out", async () => {
  const { partnerId } = await world.addPartner();
  await standby.freeze();
  const asked = await world.admin(['partners', 'freeze', partnerId, '--reason', 'a test', '--json']);
  await standby.thaw();
  assert.equal(asked.code, 75, asked.said);
  assert.match(asked.said, /"uncertain".*Not confirmed within 30 s.*audit list/s);
});

test('faults 10: a commit whose wait for the standby was cancelled is not taken for success', async () => {
  await payUntilAnswered(randomUUID(), 60_000);
  await standby.stop('fast');
  const key = randomUUID();
  const startedAt = performance.now();
  const asked = pay(key);
  await eventually('a commit waits', async () => (await countWaiting('kelpie-api')) > 0);
  const cancelling = setInterval(() => void cancelWaits().catch(() => undefined), 100);
  const answer = await asked;
  clearInterval(cancelling);
  assert.equal(answer?.status, 503, answer?.text);
  assert(performance.now() - startedAt < answeredWithinMs);
  await standby.start();
  await payUntilAnswered(key, 60_000);
});

test('faults 8: the synchronous standby takes over: no acknowledged payout is lost, and it serves within 60 s', async () => {
  const keys = Array.from({ length: 60 }, () => randomUUID());
  const paying = Promise.all(keys.map(async (key) => pay(key)));
  await eventually('some are acknowledged', async () => acknowledged.length > 5);
  await primary.stop('immediate');
  await standby.promote();
  target.port = standby.port;
  proxy.cut();
  const startedAt = performance.now();
  await paying;
  await payUntilAnswered(randomUUID(), 60_000);
  assert(performance.now() - startedAt < 60_000);
  for (const key of keys) await payUntilAnswered(key, 60_000);
  await world.moveTime(5 * 60_000);
  await world.settle();
  await assertAllHolds({ ...world, acknowledged });
});

async function countAtOldPrimary(): Promise<number | undefined> {
  return asAdmin(urlFor(primary.adminUrl, 'kelpie'), async (admin) => {
    const { rows } = await admin.query<{ count: number }>('select count(*)::int as count from kelpie.payouts');
    return rows[0]?.count;
  });
}

test('faults 11: the old primary comes back and takes no writes', async () => {
  await primary.start();
  const before = await countAtOldPrimary();
  const made = await payUntilAnswered(randomUUID(), 60_000);
  assert.equal(await countAtOldPrimary(), before);
  // A program that reaches it by mistake gets no commit: it still waits for the standby that it had.
  const client = new Client({ connectionString: urlFor(primary.adminUrl, 'kelpie') });
  client.on('error', () => undefined);
  await client.connect();
  const written = client.query('update kelpie.heartbeat set number = number + 1').then(
    () => 'committed',
    () => 'refused',
  );
  const patience = new Promise<string>((resolve) => setTimeout(resolve, 3_000, 'waits'));
  assert.equal(await Promise.race([written, patience]), 'waits');
  await primary.stop('immediate');
  assert.equal(await written, 'refused');
  await world.settle();
  await assertAllHolds({ ...world, acknowledged: [...acknowledged, made.id] });
});
