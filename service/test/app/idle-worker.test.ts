import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startWorker } from '../harness/processes.ts';

const measuredMs = 12_000;
const mostPerSecond = 10;
const mostWindows = 5;

const database = await createTestDatabase();
const { pathname } = new URL(database.superuserUrl);
/** Another database of the server: what is asked there is not counted. */
const elsewhere = Object.assign(new URL(database.superuserUrl), { pathname: '/postgres' }).href;

async function countTransactions(): Promise<number> {
  return asAdmin(elsewhere, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = $1',
      [pathname.slice(1)],
    );
    return rows[0]?.count ?? 0;
  });
}

async function passed(ms: number): Promise<void> {
  const startedAt = performance.now();
  await eventually('the time has passed', async () => performance.now() - startedAt >= ms, 2 * ms);
}

async function measureRate(): Promise<number> {
  const before = await countTransactions();
  const startedAt = performance.now();
  await passed(measuredMs);
  return ((await countTransactions()) - before) / ((performance.now() - startedAt) / 1_000);
}

// At its start a worker runs the schedules that came due while there was none, and PostgreSQL counts what a session did up to
// ten seconds after: the first windows may hold work that was no idling.
test(`a worker that has nothing to do makes fewer than ${mostPerSecond} transactions per second`, async (t) => {
  await startWorker({ database });
  const rates: number[] = [];
  do rates.push(await measureRate());
  while ((rates.at(-1) ?? 0) >= mostPerSecond && rates.length < mostWindows);
  t.diagnostic(`${rates.map((rate) => rate.toFixed(1)).join(', ')} transactions per second`);
  assert((rates.at(-1) ?? Infinity) < mostPerSecond, `${rates.join(', ')} transactions per second`);
});
