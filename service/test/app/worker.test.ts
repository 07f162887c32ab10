import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestClock } from '../harness/clock.ts';
import { createTestDatabase } from '../harness/database.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { startWorker } from '../harness/processes.ts';

const database = await createTestDatabase();

async function findPartitions(): Promise<string[]> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relispartition and relnamespace = 'kelpie'::regnamespace and relkind = 'r'
         and starts_with(relname, 'readings_')
       order by relname`,
    );
    return rows.map((row) => row.name);
  });
}

/** As the schedule does at its hour. */
async function sendMonthPartitionsJob(): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`insert into pgboss.job (name, data, retry_limit) values ('month-partitions', '{}', 0)`),
  );
}

test('the worker makes the partitions of the months to come, by its clock', async () => {
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(`set role kelpie_owner; create table kelpie.readings (id uuid primary key) partition by range (id)`),
  );
  const clock = createTestClock();
  clock.move(Date.parse('2028-02-29T12:00:00Z') - Date.now());
  const worker = await startWorker({ database, env: { KELPIE_TEST_CLOCK_FILE: clock.file } });
  await sendMonthPartitionsJob();
  const partitions = await eventually('the partitions are there', async () => {
    const found = await findPartitions();
    return found.length === 4 && found;
  });
  assert.deepEqual(partitions, ['readings_2028_02', 'readings_2028_03', 'readings_2028_04', 'readings_2028_05']);
  assert.deepEqual(await worker.stop(), { code: 0, signal: null });
});

test('the job that makes partitions comes round every day by itself', async () => {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query('select cron, timezone from pgboss.schedule where name = $1', ['month-partitions']),
  );
  assert.deepEqual(rows, [{ cron: '17 3 * * *', timezone: 'UTC' }]);
});
