import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startChild, type Child } from '@kelpie/dev/child-process.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startTcpProxy } from '@kelpie/dev/tcp-proxy.ts';
import { createPayout, payoutBody } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createSimulatedPartner } from '../harness/partners.ts';
import { startApi } from '../harness/processes.ts';
import { testSecrets } from '../harness/secrets.ts';

const database = await createTestDatabase();
const api = await startApi({ database });
const partner = await createSimulatedPartner(database);
const client = { url: api.url, key: partner.key };

async function get(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(api.url + path, { headers: { authorization: `Bearer ${partner.key}` } });
  return { status: response.status, text: await response.text() };
}

async function admin(sql: string): Promise<void> {
  await asAdmin(database.superuserUrl, async (superuser) => {
    // Not to be ended itself, and able to end it again.
    await superuser.query('set default_transaction_read_only = off');
    await superuser.query(sql);
  });
}

const endConnections = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = 'kelpie_service'`;

test('faults 69: on a read-only database reads are served, writes are 503, and both recover alone', async () => {
  assert.equal((await createPayout(client, payoutBody())).status, 201);
  // As after a switchover: connections break, and what they reach next takes no writes.
  await admin(
    `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
  );
  await admin(endConnections);
  const refused = await eventually('a refusal', async () => {
    const answer = await createPayout(client, payoutBody());
    assert.notEqual(answer.status, 500, answer.text);
    return answer.status === 503 && answer;
  });
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  assert.doesNotMatch(refused.text, /[Nn]othing was sent/);
  await eventually('it says so', async () => (await get('/readyz')).text === '{"status":"ready","writes":false}');
  assert.equal((await get('/readyz/writes')).status, 503);
  for (const path of ['/v1/balance', '/v1/payouts', '/v1/limits', '/v1/account'])
    assert.equal((await get(path)).status, 200, path);
  const key = randomUUID();
  assert.equal((await createPayout(client, payoutBody(), key)).status, 503);
  // Connections that are open stay read-only: they are given up one by one.
  await admin(
    `do $$ begin execute format('alter database %I reset default_transaction_read_only', current_database()); end $$`,
  );
  await eventually('it pays again', async () => (await createPayout(client, payoutBody(), key)).status < 300);
  await eventually('ready again', async () => (await get('/readyz/writes')).status === 200);
  const said = api.output();
  assert.equal(said.match(/"event":"writes\.lost"/g)?.length, 1);
  assert.match(said, /"error_code":"database_read_only","event":"writes\.lost"/);
  assert.equal(said.match(/"event":"writes\.regained"/g)?.length, 1);
  assert.doesNotMatch(said, /request\.failed/);
});

test('faults 69: connections that the server ends under load fail requests with 503 at worst, and nothing is lost', async () => {
  const keys = Array.from({ length: 60 }, () => randomUUID());
  const ending = setInterval(() => void admin(endConnections).catch(() => undefined), 20);
  const first = await Promise.all(keys.map(async (key) => createPayout(client, payoutBody(), key)));
  clearInterval(ending);
  for (const { status, text } of first) assert(status === 201 || status === 503, text);
  for (const [at, key] of keys.entries()) {
    const again = await eventually('an answer', async () => {
      const answer = await createPayout(client, payoutBody(), key);
      return answer.status < 300 && answer;
    });
    if (first[at]?.status === 201) assert.equal(again.id, first[at]?.id);
  }
  assert.doesNotMatch(api.output(), /request\.failed/);
});

function startUnwaited(databaseUrl: string): Child {
  return startChild({
    name: 'worker',
    file: 'service/src/app/worker.ts',
    env: {
      KELPIE_MODE: 'development',
      KELPIE_DATABASE_URL: databaseUrl,
      KELPIE_METRICS_PORT: '0',
      KELPIE_SMTP_URL: 'none',
      KELPIE_MAIL_FROM: 'Kelpie <no-reply@kelpie.example>',
      ...testSecrets,
    },
  });
}

const { hostname, port, href } = new URL(database.serviceUrl);

test('faults 70: a worker that starts before its database waits, says why, and begins when it serves', async (t) => {
  const ownPort = await findPort();
  const worker = startUnwaited(href.replace(`:${port}/`, `:${ownPort}/`));
  t.after(async () => worker.stop());
  const reason = /"error_code":"database_unreachable","event":"database\.awaited"/;
  await eventually('it waits', async () => reason.test(worker.output()));
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) }, ownPort);
  t.after(proxy.close);
  await worker.waitForEvent('worker.working', 60_000);
});

test('faults 70: a worker that waits for its database ends at a signal, one with a wrong role ends at once', async () => {
  const waiting = startUnwaited(href.replace(`:${port}/`, `:${await findPort()}/`));
  await eventually('it waits', async () => waiting.output().includes('database.awaited'));
  assert.equal((await waiting.stop()).code, 0);
  const wrong = startUnwaited(database.superuserUrl);
  assert.equal((await wrong.exited).code, 78, wrong.output());
});
