import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startOwnServer } from '@kelpie/dev/postgres/own-server.ts';
import { beginAudit, prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { payoutBody, type ApiAnswer } from '../harness/client.ts';
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

async function countWaiting(): Promise<number> {
  return asAdmin(urlFor(primary.adminUrl, 'kelpie'), async (admin) => {
    const { rows } = await admin.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep' and usename = 'kelpie_service'`,
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

test('faults 9: while the standby is down no payout is acknowledged, and the same key then pays once', async () => {
  assert.equal((await pay())?.status, 201);
  await standby.stop('fast');
  const key = randomUUID();
  const asked = pay(key);
  await eventually('a commit waits', async () => (await countWaiting()) > 0);
  const answer = await asked;
  assert(answer === null || answer.status >= 500, answer?.text);
  await standby.start();
  await payUntilAnswered(key, 60_000);
});

test('faults 10: a commit whose wait for the standby was cancelled is not taken for success', async () => {
  await standby.stop('fast');
  const key = randomUUID();
  const asked = pay(key);
  await eventually('a commit waits', async () => (await countWaiting()) > 0);
  const cancelling = setInterval(() => void cancelWaits().catch(() => undefined), 100);
  const answer = await asked;
  clearInterval(cancelling);
  assert(answer === null || answer.status >= 500, answer?.text);
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
