import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { projectFolder } from '@kelpie/dev/project.ts';
import { dropExpiredPartitions } from '../../src/platform/database/month-partitions.ts';
import { openPool } from '../../src/platform/database/pool.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { createTestDatabase } from '../harness/database.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');
const pool = openPool({ url: database.serviceUrl, connections: 2, applicationName: 'test', logger });
after(async () => pool.end());

const partnerId = '01a1d000-0000-7000-8000-00000000000b';

async function admin<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<Row>(sql, values)).rows);
}

async function partitionsOf(table: string, year: string): Promise<string[]> {
  const rows = await admin<{ name: string }>(
    `select relname as name from pg_class where relispartition and relkind = 'r' and starts_with(relname, $1) order by 1`,
    [`${table}_${year}`],
  );
  return rows.map(({ name }) => name);
}

async function plantMonths(year: number): Promise<void> {
  for (const table of ['activity_pages', 'payout_history'])
    for (let month = 0; month < 3; month += 1)
      await admin('select kelpie.make_month_partition($1, $2)', [table, new Date(Date.UTC(year, month, 1))]);
  const id = newId({ now: () => new Date(Date.UTC(year, 0, 15)) });
  await admin(`insert into kelpie.activity_pages (id, partner_id, size, entries) values ($1, $2, 1, '[]')`, [
    id,
    partnerId,
  ]);
}

async function drop(at: string): Promise<string[]> {
  return dropExpiredPartitions(pool, new Date(at));
}

test('months past the retention of their table are dropped, one by one, and no other month or table', async () => {
  await plantMonths(2024);
  assert.deepEqual(await drop('2025-02-28T23:59:59Z'), [], 'January 2024 is kept for 13 months');
  assert.deepEqual(await drop('2025-03-01T00:00:00Z'), ['activity_pages_2024_01']);
  assert.deepEqual(await drop('2025-03-02T00:00:00Z'), []);
  assert.deepEqual(await partitionsOf('activity_pages', '2024'), ['activity_pages_2024_02', 'activity_pages_2024_03']);
  assert.deepEqual(await drop('2026-11-01T00:00:00Z'), ['activity_pages_2024_02', 'activity_pages_2024_03']);
  assert.equal((await partitionsOf('payout_history', '2024')).length, 3, 'what explains money is kept');
});

test('a service whose clock is wrong can not make the database forget early', async () => {
  const before = await partitionsOf('activity', '20');
  assert.deepEqual(await dropExpiredPartitions(pool, new Date('2090-01-01T00:00:00Z')), []);
  assert.deepEqual(await partitionsOf('activity', '20'), before);
});

test("the service's role can not drop a month by itself", async () => {
  await asAdmin(database.serviceUrl, async (client) => {
    const [partition] = await partitionsOf('activity_pages', '20');
    assert(partition !== undefined);
    await assert.rejects(client.query(`drop table kelpie.${partition}`), { code: '42501' });
    const { rows } = await client.query<{ dropped: boolean }>(
      'select kelpie.drop_month_partition($1, now()) as dropped',
      [partition],
    );
    assert.equal(rows[0]?.dropped, false);
  });
});

test('docs/database.md says of every table how long it is kept, and the schema does the same', async () => {
  const tables = await admin<{ name: string; months: string | null }>(
    `select relname as name,
       substring(obj_description(oid, 'pg_class') from '@forgets-after-([0-9]+)-months') as months
     from pg_class where relnamespace = 'kelpie'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  const text = readFileSync(path.join(projectFolder, 'docs/database.md'), 'utf8');
  const section = text.split('## Retention\n')[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| kept'));
  const keptOf = new Map(
    rows.flatMap((line) => {
      const [, kept = '', listed = ''] = line.split('|');
      return Array.from(listed.matchAll(/`(\w+)`/g), ([, name = '']) => [name, kept.trim()] as const);
    }),
  );
  assert.deepEqual(
    tables.map(({ name }) => name).filter((name) => !keptOf.has(name)),
    [],
    'not listed',
  );
  assert.deepEqual(
    [...keptOf.keys()].filter((name) => !tables.some((table) => table.name === name)),
    [],
    'no table',
  );
  for (const { name, months } of tables)
    assert.equal(/^(\d+) months$/.exec(keptOf.get(name) ?? '')?.[1] ?? null, months, name);
});
