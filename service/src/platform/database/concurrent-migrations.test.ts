import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '@kelpie/dev/eventually.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { folderOf } from '../../../test/database/planted-migrations.ts';
import { createLogger } from '../logging.ts';
import { assertApplied, migrate, readExpected, type Migrated } from './migrate.ts';
import { openPool } from './pool.ts';

const database = await createTestDatabase();
const logger = createLogger('test', 'silent');

async function asSuperuser(sql: string): Promise<unknown[]> {
  return asAdmin(database.superuserUrl, async (client) => (await client.query<object>(sql)).rows);
}

/** A table like those that grow, with three months, and a plain one. */
const tables = `
  create table kelpie.grown (id int not null, cause int not null) partition by range (id);
  create table kelpie.grown_2026_09 partition of kelpie.grown for values from (0) to (1000);
  create table kelpie.grown_2026_10 partition of kelpie.grown for values from (1000) to (2000);
  create table kelpie.grown_2026_11 partition of kelpie.grown for values from (2000) to (3000);
  insert into kelpie.grown select i, i from generate_series(0, 2999) i;
  create table kelpie.plain (id int not null);
  insert into kelpie.plain select generate_series(1, 1000);`;

type Files = Readonly<Record<string, string>>;
const base: Files = { 'migrations/0001_tables.sql': tables };

async function run(files: Files, runs: 'before deploy' | 'after deploy' = 'before deploy'): Promise<Migrated> {
  const folder = folderOf({ ...base, ...files }, { atEnd: after });
  return migrate({ ownerUrl: database.ownerUrl, now: new Date('2026-11-15T00:00:00Z'), logger, runs, folder });
}

async function beginAnew(): Promise<void> {
  await asSuperuser('drop schema if exists kelpie cascade');
  await run({});
}

/** Valid indexes by name, each with its table; an invalid one has a question mark. */
async function listIndexes(): Promise<string[]> {
  const rows = await asAdmin(database.superuserUrl, async (client) => {
    const found = await client.query<{ line: string }>(
      `select i.indexrelid::regclass || ' on ' || i.indrelid::regclass || case when i.indisvalid then '' else ' ?' end as line
       from pg_index i join pg_class t on t.oid = i.indrelid
       where t.relnamespace = 'kelpie'::regnamespace and t.relname ~ '^(grown|plain)' order by 1`,
    );
    return found.rows;
  });
  return rows.map(({ line }) => line.replaceAll('kelpie.', ''));
}

const building = '-- Outside a transaction\ncreate index concurrently grown_of_cause on kelpie.grown (cause);';
const everywhere = [
  'grown_2026_09_of_cause on grown_2026_09',
  'grown_2026_10_of_cause on grown_2026_10',
  'grown_2026_11_of_cause on grown_2026_11',
  'grown_of_cause on grown',
];

test('one statement builds an index in every partition and attaches it', async () => {
  await beginAnew();
  const files = {
    'migrations/0002_index.sql': `${building}\ncreate unique index concurrently plain_id on kelpie.plain (id);`,
  };
  assert.deepEqual(await run(files), { applied: ['0002_index.sql'], waiting: [] });
  assert.deepEqual(await listIndexes(), [...everywhere, 'plain_id on plain']);
  assert.deepEqual(await asSuperuser('select * from kelpie.unfinished_migrations'), []);
  assert.deepEqual((await run(files)).applied, []);
});

/** Does something while the build waits, as it does for any older transaction. */
async function whileBuilding(files: Files, meanwhile: () => Promise<unknown>): Promise<unknown> {
  return asAdmin(database.superuserUrl, async (older) => {
    await older.query('begin isolation level repeatable read; select');
    const migrated = run(files).catch((error: unknown) => error);
    await eventually('the build waits for the older transaction', async () => {
      const waiting = await asSuperuser(
        `select from pg_stat_progress_create_index where datname = current_database() and phase ~ '^waiting'`,
      );
      return waiting.length > 0;
    });
    await meanwhile();
    await older.query('rollback');
    return migrated;
  });
}

const endMigration = async (): Promise<unknown> =>
  asSuperuser(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kelpie-migrate' and datname = current_database()`,
  );

test('faults 75: an index whose build was killed is dropped and built again by the next run', async () => {
  await beginAnew();
  const files = { 'migrations/0002_index.sql': building };
  await whileBuilding(files, endMigration);
  assert.deepEqual(await listIndexes(), ['grown_2026_09_of_cause on grown_2026_09 ?', 'grown_of_cause on grown ?']);
  assert.deepEqual(await asSuperuser('select name from kelpie.unfinished_migrations'), [{ name: '0002_index.sql' }]);
  assert.deepEqual((await run(files)).applied, ['0002_index.sql']);
  assert.deepEqual(await listIndexes(), everywhere);
});

test('faults 75: what was built in other partitions before the kill is kept', async () => {
  await beginAnew();
  const files = { 'migrations/0002_index.sql': building };
  await asAdmin(database.superuserUrl, async (vacuum) => {
    await vacuum.query('begin; lock table kelpie.grown_2026_10 in share update exclusive mode');
    const migrated = run(files).catch((error: unknown) => error);
    await eventually('the build waits for the second partition', async () => {
      const waiting = await asSuperuser(
        `select from pg_locks where relation = 'kelpie.grown_2026_10'::regclass and not granted`,
      );
      return waiting.length > 0;
    });
    await endMigration();
    await migrated;
  });
  const builtBefore = await asSuperuser(`select 'kelpie.grown_2026_09_of_cause'::regclass::oid`);
  assert.deepEqual((await run(files)).applied, ['0002_index.sql']);
  assert.deepEqual(await asSuperuser(`select 'kelpie.grown_2026_09_of_cause'::regclass::oid`), builtBefore);
  assert.deepEqual(await listIndexes(), everywhere);
});

test('a partition that is created while the index is built has it', async () => {
  await beginAnew();
  await whileBuilding({ 'migrations/0002_index.sql': building }, async () =>
    asAdmin(database.superuserUrl, async (client) => {
      await client.query(`create table kelpie.grown_2026_12 (like kelpie.grown including all);
        alter table kelpie.grown_2026_12 owner to kelpie_owner`);
      await client.query(
        'alter table kelpie.grown attach partition kelpie.grown_2026_12 for values from (3000) to (4000)',
      );
    }),
  );
  const indexes = await listIndexes();
  assert.equal(indexes.length, 5);
  assert(
    indexes.every((line) => !line.endsWith('?')),
    indexes.join(),
  );
});

test('two runs at once build an index once: the second waits without a statement under way', async () => {
  await beginAnew();
  const files = { 'migrations/0002_index.sql': building };
  let second: Promise<Migrated> | undefined;
  const first = await whileBuilding(files, async () => {
    second = run(files);
    await eventually('the second run is connected', async () => {
      const runs = await asSuperuser(
        `select from pg_stat_activity where application_name = 'kelpie-migrate' and datname = current_database()`,
      );
      return runs.length === 2;
    });
  });
  assert.deepEqual(first, { applied: ['0002_index.sql'], waiting: [] });
  assert.deepEqual((await second)?.applied, []);
  assert.deepEqual(await listIndexes(), everywhere);
});

test('a unique index that finds duplicates leaves nothing behind, and can be changed and run again', async () => {
  await beginAnew();
  const unique = '-- Outside a transaction\ncreate unique index concurrently plain_half on kelpie.plain ((id / 2));';
  await assert.rejects(run({ 'migrations/0002_index.sql': unique }), { code: '23505' });
  assert.deepEqual(await listIndexes(), []);
  // One that was built from another text is not kept.
  await asSuperuser('create index plain_half on kelpie.plain (id); alter table kelpie.plain owner to kelpie_owner');
  await run({ 'migrations/0002_index.sql': unique.replace('unique ', '') });
  const [index] = await asSuperuser(`select pg_get_indexdef('kelpie.plain_half'::regclass) as text`);
  assert.deepEqual(index, { text: 'CREATE INDEX plain_half ON kelpie.plain USING btree (((id / 2)))' });
});

test('an index that was there before the migration began is never taken for its own', async () => {
  await beginAnew();
  await asSuperuser('create index plain_id on kelpie.plain (id)');
  const files = {
    'migrations/0002_index.sql':
      '-- Outside a transaction\ncreate index concurrently plain_id on kelpie.plain ((-id));',
  };
  await assert.rejects(run(files), /The table plain already has an index named plain_id/);
});

test('an index is dropped and a constraint validated in every partition, and repeating it changes nothing', async () => {
  await beginAnew();
  const files: Record<string, string> = {
    'migrations/0002_index.sql': building,
    'migrations/0003_check.sql': 'alter table kelpie.grown add constraint grown_positive check (cause >= 0) not valid',
    'migrations/0004_validate.sql': `-- Outside a transaction
      alter table kelpie.grown validate constraint grown_positive;
      drop index concurrently kelpie.grown_of_cause;
      drop index concurrently kelpie.never_there;`,
  };
  await run(files);
  assert.deepEqual(await listIndexes(), []);
  const valid = await asSuperuser(
    `select convalidated, count(*)::int from pg_constraint where conname = 'grown_positive' group by 1`,
  );
  assert.deepEqual(valid, [{ convalidated: true, count: 4 }]);
  await asSuperuser(`delete from kelpie.migrations where name = '0004_validate.sql'`);
  assert.deepEqual((await run(files)).applied, ['0004_validate.sql']);
});

test('a migration for after the deploy waits for its own run, and the readiness of processes does not', async () => {
  await beginAnew();
  const files = {
    'migrations/0002_after.sql': '-- After deploy\nalter table kelpie.plain drop column id;',
    'migrations/0003_before.sql': 'alter table kelpie.plain add column more int;',
    'migrations/0004_after.sql': '-- After deploy\nselect;',
  };
  await assert.rejects(
    run(files, 'after deploy'),
    /0003_before.sql is not applied. Run kelpie-admin migrate and deploy/,
  );
  const waiting = ['0002_after.sql', '0004_after.sql'];
  assert.deepEqual(await run(files), { applied: ['0003_before.sql'], waiting });
  assert.deepEqual(await run(files), { applied: [], waiting });
  const pool = openPool({ url: database.ownerUrl, connections: 1, applicationName: 'test', logger });
  after(async () => pool.end());
  await assertApplied(pool, readExpected(folderOf({ ...base, ...files }, { atEnd: after })));
  assert.deepEqual(await run(files, 'after deploy'), { applied: waiting, waiting: [] });
});

test('an empty database gets everything at once, in the order of numbers', async () => {
  await asSuperuser('drop schema if exists kelpie cascade');
  const files = {
    'migrations/0002_after.sql': '-- After deploy\nalter table kelpie.plain rename to renamed;',
    'migrations/0003_before.sql': 'alter table kelpie.renamed add column more int;',
  };
  assert.deepEqual(await run(files), {
    applied: ['0001_tables.sql', '0002_after.sql', '0003_before.sql'],
    waiting: [],
  });
});

test('a function can not be needed right after a migration that runs after the deploy', async () => {
  await beginAnew();
  const files = {
    'migrations/0002_after.sql': '-- After deploy\nselect;',
    'functions/one/late.sql':
      '-- Callers: everyone\n-- Applied after: 0002\ncreate or replace function kelpie.late() returns int language sql return 1;',
  };
  await assert.rejects(run(files), /one\/late should be applied after 0002, which runs after the deploy/);
});
