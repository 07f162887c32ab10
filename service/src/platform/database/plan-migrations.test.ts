import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import type { Client } from 'pg';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { folderOf } from '../../../test/database/planted-migrations.ts';
import { blockedBy, locksOf, type LockMode } from './lock-rules.ts';
import { ownFolder, readMigrations } from './migrations.ts';
import { planMigrations } from './plan-migrations.ts';

const database = await createTestDatabase();

const modeOf: Readonly<Record<string, LockMode>> = {
  RowExclusiveLock: 'row exclusive',
  ShareUpdateExclusiveLock: 'share update exclusive',
  ShareLock: 'share',
  ShareRowExclusiveLock: 'share row exclusive',
  AccessExclusiveLock: 'access exclusive',
};

/** By its number: a table that a statement drops has no name any more. */
async function readNames(client: Client): Promise<Map<number, string>> {
  const { rows } = await client.query<{ oid: number; name: string }>(
    `select oid, relname as name from pg_class
     where relnamespace = 'kelpie'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition`,
  );
  return new Map(rows.map(({ oid, name }) => [oid, name]));
}

/** The strongest lock that this transaction has on each table that was there before, as far as it hinders a write. */
async function readLocks(client: Client, names: ReadonlyMap<number, string>): Promise<Map<string, LockMode>> {
  const { rows } = await client.query<{ relation: number; mode: string }>(
    `select relation, mode from pg_locks where pid = pg_backend_pid() and locktype = 'relation'
     order by array_position($1::text[], mode)`,
    [Object.keys(modeOf)],
  );
  const held = new Map<string, LockMode>();
  for (const { relation, mode } of rows) {
    const [name, lock] = [names.get(relation), modeOf[mode]];
    if (name !== undefined && lock !== undefined) held.set(name, lock);
  }
  return held;
}

/** Of every kind that the rules know and a transaction can run. `ledger_entries` has partitions, `partners` has none. */
const statements = [
  'create index planted on kelpie.partners (name)',
  'create unique index planted on kelpie.ledger_entries (transfer_id, line, reason)',
  'create index planted on only kelpie.ledger_entries (cause_id)',
  'drop index kelpie.ledger_entries_in_suspense',
  'alter table kelpie.partners add column planted text',
  'alter table kelpie.partners alter column name set not null, add column planted text',
  'alter table kelpie.partners add constraint planted check (name is not null) not valid',
  'alter table kelpie.payouts validate constraint payouts_whole',
  'alter table kelpie.partners alter column name set statistics 200',
  'alter table kelpie.partners set (fillfactor = 90)',
  'alter table kelpie.partners disable trigger all',
  'alter table kelpie.api_keys add constraint planted foreign key (partner_id) references kelpie.partners (id) not valid',
  'alter table kelpie.api_keys add column planted uuid references kelpie.partners (id)',
  'alter table kelpie.ledger_entries enable row level security',
  'create trigger planted before insert on kelpie.partners for each row execute function kelpie.refuse_change()',
  'drop trigger never_emptied on kelpie.proposals',
  'create policy planted on kelpie.partners for select using (false)',
  'drop policy payouts_see on kelpie.reconciled_environments',
  `comment on table kelpie.partners is '@bounded'`,
  `comment on column kelpie.partners.name is 'a name'`,
  'drop table kelpie.unfinished_migrations',
  'truncate kelpie.unfinished_migrations',
  'alter view kelpie.visible_payouts set (security_barrier = true)',
  'create or replace view kelpie.visible_payouts with (security_invoker = true) as select * from kelpie.payouts',
  'create table kelpie.planted (id uuid references kelpie.partners (id))',
  'create type kelpie.planted as enum ()',
  'grant select on kelpie.partners to kelpie_reader',
  'update kelpie.partners set name = name',
  'delete from kelpie.unfinished_migrations',
  `select kelpie.make_insert_only('partners')`,
];

async function readIndexes(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; table: string }>(
    `select c.relname as name, t.relname as "table" from pg_index i
     join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid`,
  );
  return new Map(rows.map(({ name, table }) => [name, table]));
}

for (const sql of statements) {
  test(`the plan names the lock that PostgreSQL takes: ${sql.slice(0, 60)}`, async () => {
    await asAdmin(database.superuserUrl, async (client) => {
      const [names, indexes] = [await readNames(client), await readIndexes(client)];
      await client.query(`begin; ${sql}`);
      const held = await readLocks(client, names);
      const planned = locksOf(sql, (index) => indexes.get(index));
      assert(planned !== undefined);
      // A lock that hinders nothing may be left out: that of a table which is only read, say.
      const tables = new Set(planned.map(({ table }) => table));
      const seen = [...held].filter(([table, lock]) => tables.has(table) || blockedBy(lock) !== 'nothing');
      assert.deepEqual(Object.fromEntries(planned.map(({ table, lock }) => [table, lock])), Object.fromEntries(seen));
    });
  });
}

const next = readMigrations(ownFolder).length + 1;
const [first, second, third] = [next, next + 1, next + 2].map((number) => String(number).padStart(4, '0'));

test('the plan says when each migration runs and what each statement blocks, and changes nothing', async () => {
  const files = {
    [`migrations/${first}_table.sql`]: `create table kelpie.planted (id uuid references kelpie.partners (id));
      create index planted_by_id on kelpie.planted (id);`,
    [`migrations/${second}_index.sql`]: `-- Outside a transaction
      create index concurrently ledger_entries_planted on kelpie.ledger_entries (cause_id);`,
    [`migrations/${third}_drop.sql`]: '-- After deploy\nalter table kelpie.partners drop column name;',
  };
  const folder = folderOf(files, { atEnd: after, basedOnOwn: true });
  await asAdmin(database.superuserUrl, async (client) =>
    client.query('analyze kelpie.partners, kelpie.ledger_entries'),
  );
  const { migrations, functions } = await planMigrations({ url: database.ownerUrl, folder });
  assert.deepEqual(functions, []);
  assert.deepEqual(
    migrations.map(({ name, runs, isOneTransaction }) => ({ name, runs, isOneTransaction })),
    [
      { name: `${first}_table.sql`, runs: 'before deploy', isOneTransaction: true },
      { name: `${second}_index.sql`, runs: 'before deploy', isOneTransaction: false },
      { name: `${third}_drop.sql`, runs: 'after deploy', isOneTransaction: true },
    ],
  );
  const blocked = migrations.flatMap(({ statements: planned }) =>
    planned.map(({ locks }) =>
      locks.map(({ table, blocks, isBrief }) => `${table}: ${blocks}${isBrief ? ', brief' : ''}`),
    ),
  );
  assert.deepEqual(blocked, [
    ['partners: writes'],
    [],
    [
      'ledger_entries: writes, brief',
      '4 partitions of ledger_entries, one at a time: nothing',
      'the new index of each partition: reads and writes, brief',
    ],
    ['partners: reads and writes'],
  ]);
  assert.deepEqual(await planMigrations({ url: database.readerUrl }), { migrations: [], functions: [] });
});

test('every statement of our own migrations is known', async () => {
  await asAdmin(database.superuserUrl, async (client) => client.query('drop schema kelpie cascade'));
  const { migrations, functions } = await planMigrations({ url: database.ownerUrl });
  assert(migrations.length > 20 && functions.length > 100);
  const unknown = migrations.flatMap(({ name, statements: planned }) =>
    planned.filter(({ locks }) => locks.some(({ table }) => table === null)).map(({ sql }) => `${name}: ${sql}`),
  );
  assert.deepEqual(unknown, []);
  // On an empty database nothing is there to be locked.
  assert.deepEqual(
    migrations.flatMap(({ statements: planned }) => planned.flatMap(({ locks }) => locks)),
    [],
  );
});
