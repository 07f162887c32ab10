import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { openPool } from '../database/pool.ts';
import { inTransaction } from '../database/transaction.ts';
import { createLogger } from '../logging.ts';
import { startWakeListener, type WakeListener } from './wake-listener.ts';
import { createWakeSender, wakeChannel } from './wake-sender.ts';

const logger = createLogger('test', 'silent');
const database = await createTestDatabase();
const url = database.serviceUrl;
const pool = openPool({ url, connections: 2, applicationName: 'test', logger });
const sender = createWakeSender(pool, logger);
const applicationName = 'kelpie-test-wake-ups';
const listener = startWakeListener({ url, applicationName, logger });
after(async () => {
  await Promise.all([sender.stop(), listener.stop()]);
  await pool.end();
});

const never = new AbortController().signal;
const longMs = 30_000;

/** Whether it woke well before the time was over: a timer may end a millisecond early. */
async function isWoken(by: WakeListener, topic: 'jobs' | 'payouts', withinMs: number): Promise<boolean> {
  const startedAt = performance.now();
  await by.until(topic, withinMs, never);
  return performance.now() - startedAt < withinMs - 20;
}

/** What is sent before it listens is lost, so it begins with all that may have been. */
async function untilItListens(): Promise<void> {
  for (const topic of ['jobs', 'payouts'] as const) assert(await isWoken(listener, topic, longMs), topic);
}

test('a worker that listens is woken at once, for what it waits for', async () => {
  await untilItListens();
  sender.wake('payouts');
  assert(await isWoken(listener, 'payouts', longMs));
  assert(!(await isWoken(listener, 'jobs', 300)), 'jobs were not woken');
});

test('a wake-up that comes while nobody waits is not lost', async () => {
  const heard = new Client(url);
  await heard.connect();
  await heard.query(`listen ${wakeChannel}`);
  const isHeard = new Promise<void>((resolve) => heard.on('notification', () => resolve()));
  sender.wake('jobs');
  await isHeard;
  await heard.end();
  assert(await isWoken(listener, 'jobs', longMs));
});

test('after a commit its callbacks are called, and never after a rollback', async () => {
  const called: string[] = [];
  await inTransaction(pool, 'shared', async (tx) => {
    tx.afterCommit(() => called.push('committed'));
    assert.deepEqual(called, []);
  });
  const rolledBack = inTransaction(pool, 'shared', async (tx) => {
    tx.afterCommit(() => called.push('rolled back'));
    throw new Error('changed my mind');
  });
  await assert.rejects(rolledBack, /changed my mind/);
  assert.deepEqual(called, ['committed']);
});

test('a thousand commits send a few notifications', async () => {
  const heard = new Client(url);
  await heard.connect();
  await heard.query(`listen ${wakeChannel}`);
  let notifications = 0;
  heard.on('notification', () => {
    notifications += 1;
  });
  for (let commits = 0; commits < 1_000; commits += 1) sender.wake('payouts');
  await eventually('the last of them is sent', async () => notifications >= 1);
  assert(await isWoken(listener, 'payouts', longMs));
  await heard.end();
  assert(notifications <= 2, `${notifications} notifications`);
});

test('a listener whose connection the server ends listens again, and wakes all who may have missed something', async () => {
  const ended = await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()`,
      [applicationName],
    ),
  );
  assert.equal(ended.rowCount, 1);
  await untilItListens();
  sender.wake('payouts');
  assert(await isWoken(listener, 'payouts', longMs));
});
