import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { folderOf as plantFolder } from '../../../test/database/planted-migrations.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { eventually } from '@kelpie/dev/eventually.ts';
import { createLogger } from '../logging.ts';
import { migrate as runMigrations, readExpected } from './migrate.ts';

const database = await createTestDatabase();
const options = {
  ownerUrl: database.ownerUrl,
  now: new Date('2026-11-15T00:00:00Z'),
  logger: createLogger('test', 'silent'),
};

/** Names what was applied. */
async function migrate(given: Parameters<typeof runMigrations>[0]): Promise<string[]> {
  return (await runMigrations(given)).applied;
}

async function asSuperuser(sql: string): Promise<unknown[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<object>(sql)).rows);
}

async function forget(): Promise<void> {
  await asSuperuser('drop schema if exists kelpie cascade');
}

const { migration: newest } = readExpected();

function folderOf(files: Readonly<Record<string, string>>): URL {
  return plantFolder(files, { atEnd: after });
}

test('a database that is up to date has nothing applied', async () => {
  assert.deepEqual(await migrate(options), []);
});

test('two runs at once apply each migration once', async () => {
  await forget();
  const runs = await Promise.all([migrate(options), migrate(options), migrate(options)]);
  assert.deepEqual(
    runs.flat().filter((name) => name === newest),
    [newest],
  );
});

test('a migration that was changed after it was applied stops everything', async () => {
  await asSuperuser(`update kelpie.migrations set checksum = 'another' where name = '${newest}'`);
  await assert.rejects(migrate(options), /was changed after it was applied, .* run npm run db:reset/);
  await forget();
  await migrate(options);
});

test('a migration that fails leaves nothing of itself behind', async () => {
  await forget();
  // A type of its own is there already, so that it fails in its middle.
  await asSuperuser('create schema kelpie authorization kelpie_owner; create type kelpie.environment as enum ()');
  await assert.rejects(migrate(options), { code: '42710' });
  const tables = await asSuperuser(`select tablename from pg_tables where schemaname = 'kelpie' order by 1`);
  assert.deepEqual(tables, [
    { tablename: 'functions' },
    { tablename: 'migrations' },
    { tablename: 'unfinished_migrations' },
  ]);
  assert.deepEqual(await asSuperuser('select * from kelpie.migrations'), []);
  await forget();
  await migrate(options);
});

test('a migration that was applied and then renamed stops everything instead of being applied again', async () => {
  await forget();
  await migrate({
    ...options,
    folder: folderOf({
      'migrations/0001_one.sql': 'create table kelpie.one (id int)',
      'migrations/0002_fee.sql': 'select',
    }),
  });
  const renamed = folderOf({
    'migrations/0001_one.sql': 'create table kelpie.one (id int)',
    'migrations/0002_new.sql': 'select',
    'migrations/0003_fee.sql': 'select',
  });
  await assert.rejects(
    migrate({ ...options, folder: renamed }),
    /0002_fee.sql was renamed or removed after it was applied/,
  );
});

test('a gap in the numbers stops everything', async () => {
  await assert.rejects(
    migrate({ ...options, folder: folderOf({ 'migrations/0002_late.sql': 'select' }) }),
    /the migrations have a gap/,
  );
});

test('faults 39: a migration that waits for a lock lets the traffic through and tries again', async () => {
  const files = {
    'migrations/0001_one.sql': 'create table kelpie.busy (id int); grant select on kelpie.busy to kelpie_reader',
  };
  await forget();
  await migrate({ ...options, folder: folderOf(files) });
  await asSuperuser('grant usage on schema kelpie to kelpie_reader');
  const folder = folderOf({ ...files, 'migrations/0002_two.sql': 'alter table kelpie.busy add column more int' });
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

/** A function that answers with a number, by name. */
function answering(name: string, answer: string, header = '-- Callers: everyone'): string {
  return `${header}\ncreate or replace function kelpie.${name}() returns integer language sql return ${answer};\n`;
}

async function answerOf(name: string): Promise<unknown> {
  const [row] = await asSuperuser(`select kelpie.${name}() as answer`);
  return row;
}

test('a function whose text has changed is applied again, and one whose text has not is left alone', async () => {
  const files = { 'migrations/0001_one.sql': 'select', 'functions/one/steady.sql': answering('steady', '1') };
  const first = folderOf({ ...files, 'functions/one/changed.sql': answering('changed', '1') });
  const second = folderOf({ ...files, 'functions/one/changed.sql': answering('changed', '2') });
  await forget();
  assert.deepEqual(await migrate({ ...options, folder: first }), ['0001_one.sql', 'one/changed', 'one/steady']);
  assert.deepEqual(await migrate({ ...options, folder: first }), []);
  assert.deepEqual(await migrate({ ...options, folder: second }), ['one/changed']);
  assert.deepEqual(await answerOf('changed'), { answer: 2 });
  // Going back to the version before applies its text again.
  assert.deepEqual(await migrate({ ...options, folder: first }), ['one/changed']);
  assert.deepEqual(await answerOf('changed'), { answer: 1 });
});

test('functions that change together are applied all or none', async () => {
  const files = { 'migrations/0001_one.sql': 'select' };
  await forget();
  await migrate({ ...options, folder: folderOf({ ...files, 'functions/one/first.sql': answering('first', '1') }) });
  const broken = folderOf({
    ...files,
    'functions/one/first.sql': answering('first', '2'),
    'functions/one/second.sql': answering('second', 'kelpie.missing()'),
  });
  await assert.rejects(migrate({ ...options, folder: broken }), { code: '42883' });
  assert.deepEqual(await answerOf('first'), { answer: 1 });
});

test('a function can be needed by a check of the next migration, and call one that is applied later', async () => {
  const folder = folderOf({
    'migrations/0001_one.sql': "create type kelpie.size as enum ('small', 'large')",
    'migrations/0002_two.sql': 'create table kelpie.checked (size kelpie.size check (kelpie.is_small(size)))',
    'functions/one/is_small.sql': `-- Callers: everyone\n-- Applied after: 0001
create or replace function kelpie.is_small(size kelpie.size) returns boolean language plpgsql immutable
  as $$ begin return size = kelpie.smallest(); end $$;`,
    'functions/one/smallest.sql': `-- Callers: everyone
create or replace function kelpie.smallest() returns kelpie.size language sql immutable as $$ select kelpie.first_size() $$;`,
    'functions/one/first_size.sql': `-- Callers: everyone
create or replace function kelpie.first_size() returns kelpie.size language sql immutable return 'small'::kelpie.size;`,
  });
  await forget();
  await migrate({ ...options, folder });
  await asSuperuser(`insert into kelpie.checked values ('small')`);
  await assert.rejects(asSuperuser(`insert into kelpie.checked values ('large')`), { code: '23514' });
});

test('a changed signature is applied beside the one that the version before still calls', async () => {
  const withTwo = `-- Callers: kelpie_service
create or replace function kelpie.grown(one integer, two integer) returns integer language sql return one + two;`;
  const before = answering('grown', '1', '-- Owner: kelpie_payouts\n-- Callers: kelpie_service');
  const files = { 'migrations/0001_one.sql': 'grant usage on schema kelpie to kelpie_service, kelpie_payouts' };
  await forget();
  await migrate({ ...options, folder: folderOf({ ...files, 'functions/one/grown.sql': before }) });
  const folder = folderOf({ ...files, 'functions/one/previous/grown.sql': before, 'functions/one/grown.sql': withTwo });
  assert.deepEqual(await migrate({ ...options, folder }), ['one/grown', 'one/previous/grown']);
  await asAdmin(database.serviceUrl, async (client) => {
    const { rows } = await client.query('select kelpie.grown() as old, kelpie.grown(1, 2) as new');
    assert.deepEqual(rows, [{ old: 1, new: 3 }]);
  });
});

async function callPrivate(url: string): Promise<void> {
  await asAdmin(url, async (client) => client.query('select kelpie.private()'));
}

test('a function belongs to the role that its file names, and only those roles may call it', async () => {
  const folder = folderOf({
    'migrations/0001_one.sql': 'grant usage on schema kelpie to kelpie_service, kelpie_reader, kelpie_payouts',
    'functions/one/private.sql': answering('private', '1', '-- Owner: kelpie_payouts\n-- Callers: kelpie_service'),
  });
  await forget();
  await migrate({ ...options, folder });
  await callPrivate(database.serviceUrl);
  await assert.rejects(callPrivate(database.readerUrl), { code: '42501' });
  const owner = await asSuperuser(`select proowner::regrole::text as owner from pg_proc where proname = 'private'`);
  assert.deepEqual(owner, [{ owner: 'kelpie_payouts' }]);
});

function ownedBy(callers: string): string {
  return answering('private', '1', `-- Owner: kelpie_payouts\n-- Callers: ${callers}`);
}

test('a role that a file no longer names may no longer call its function, and everyone may where it says so', async () => {
  const files = {
    'migrations/0001_one.sql': 'grant usage on schema kelpie to kelpie_service, kelpie_reader, kelpie_payouts',
  };
  await forget();
  for (const callers of ['kelpie_service, kelpie_reader', 'kelpie_service', 'everyone']) {
    await migrate({ ...options, folder: folderOf({ ...files, 'functions/one/private.sql': ownedBy(callers) }) });
    await callPrivate(database.serviceUrl);
    if (callers === 'kelpie_service') await assert.rejects(callPrivate(database.readerUrl), { code: '42501' });
    else await callPrivate(database.readerUrl);
  }
});

const wrongFiles: [why: string, name: string, sql: string, expected: RegExp][] = [
  [
    'does not say who may call it',
    'one/mute.sql',
    answering('mute', '1', '-- A function.'),
    /should say who may call it/,
  ],
  [
    'defines another function',
    'one/mute.sql',
    answering('other', '1'),
    /should define the function mute, and no other/,
  ],
  [
    'defines two functions',
    'one/mute.sql',
    answering('mute', '1') + answering('mute', '2'),
    /should define the function mute, and no other/,
  ],
  [
    'names a migration that is not there',
    'one/mute.sql',
    answering('mute', '1', '-- Callers: everyone\n-- Applied after: 0007'),
    /should be applied after 0007, which is not a migration/,
  ],
  ['is in no module', 'mute.sql', answering('mute', '1'), /a function is in MODULE\/FUNCTION.sql/],
];
for (const [why, name, sql, expected] of wrongFiles) {
  test(`a function's file that ${why} stops everything`, async () => {
    await forget();
    const folder = folderOf({ 'migrations/0001_one.sql': 'select', [`functions/${name}`]: sql });
    await assert.rejects(migrate({ ...options, folder }), expected);
  });
}
