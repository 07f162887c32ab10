import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createLogger } from '../logging.ts';
import { migrate, newestMigration } from './migrate.ts';

const database = await createTestDatabase();
const options = {
  ownerUrl: database.ownerUrl,
  now: new Date('2026-11-15T00:00:00Z'),
  logger: createLogger('test', 'silent'),
};

async function asSuperuser(sql: string): Promise<unknown[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<object>(sql)).rows);
}

async function forget(): Promise<void> {
  await asSuperuser('drop schema if exists kelpie cascade');
}

function folderOf(files: Readonly<Record<string, string>>): URL {
  const folder = mkdtempSync(path.join(tmpdir(), 'kelpie-migrations-'));
  after(() => rmSync(folder, { recursive: true }));
  for (const [name, sql] of Object.entries(files)) writeFileSync(path.join(folder, name), sql);
  return pathToFileURL(`${folder}/`);
}

test('a database that is up to date has nothing applied', async () => {
  assert.deepEqual(await migrate(options), []);
});

test('two runs at once apply each migration once', async () => {
  await forget();
  const runs = await Promise.all([migrate(options), migrate(options), migrate(options)]);
  assert.deepEqual(
    runs.flat().filter((name) => name === newestMigration()),
    [newestMigration()],
  );
});

test('a migration that was changed after it was applied stops everything', async () => {
  await asSuperuser(`update kelpie.migrations set checksum = 'another' where name = '${newestMigration()}'`);
  await assert.rejects(migrate(options), /was changed after it was applied/);
  await forget();
  await migrate(options);
});

test('a migration that fails leaves nothing of itself behind', async () => {
  await forget();
  // A type of its own is there already, so that it fails in its middle.
  await asSuperuser('create schema kelpie authorization kelpie_owner; create type kelpie.environment as enum ()');
  await assert.rejects(migrate(options), { code: '42710' });
  const tables = await asSuperuser(`select tablename from pg_tables where schemaname = 'kelpie'`);
  assert.deepEqual(tables, [{ tablename: 'migrations' }]);
  assert.deepEqual(await asSuperuser('select * from kelpie.migrations'), []);
  await forget();
  await migrate(options);
});

test('a migration that was applied and then renamed stops everything instead of being applied again', async () => {
  await forget();
  await migrate({
    ...options,
    folder: folderOf({ '0001_one.sql': 'create table kelpie.one (id int)', '0002_fee.sql': 'select' }),
  });
  const renamed = folderOf({
    '0001_one.sql': 'create table kelpie.one (id int)',
    '0002_new.sql': 'select',
    '0003_fee.sql': 'select',
  });
  await assert.rejects(
    migrate({ ...options, folder: renamed }),
    /0002_fee.sql was applied, but is not among the migrations/,
  );
});

test('a gap in the numbers stops everything', async () => {
  await assert.rejects(
    migrate({ ...options, folder: folderOf({ '0002_late.sql': 'select' }) }),
    /the migrations have a gap/,
  );
});

test('a migration that waits for a lock lets the traffic through and tries again', async () => {
  const files = { '0001_one.sql': 'create table kelpie.busy (id int); grant select on kelpie.busy to kelpie_reader' };
  await forget();
  await migrate({ ...options, folder: folderOf(files) });
  await asSuperuser('grant usage on schema kelpie to kelpie_reader');
  const folder = folderOf({ ...files, '0002_two.sql': 'alter table kelpie.busy add column more int' });
  await asAdmin(database.readerUrl, async (slowReader) => {
    await slowReader.query('begin; select from kelpie.busy');
    const migrated = migrate({ ...options, folder });
    await eventually('the migration waits', async () => {
      const waiting = await asSuperuser(
        `select from pg_locks where relation = 'kelpie.busy'::regclass and not granted`,
      );
      return waiting.length > 0;
    });
    // This one stands behind the migration in the queue for the lock, and the slow reader is still in front of both.
    await asAdmin(database.readerUrl, async (reader) => reader.query('select from kelpie.busy'));
    await slowReader.query('commit');
    assert.deepEqual(await migrated, ['0002_two.sql']);
  });
});
