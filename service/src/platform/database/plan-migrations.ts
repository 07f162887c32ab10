import { Client } from 'pg';
import { readFunctions } from './functions.ts';
import { blockedBy, locksOf, type Blocked, type LockMode } from './lock-rules.ts';
import { ownFolder, readMigrations, type Migration } from './migrations.ts';

export interface PlannedLock {
  /** Null where no rule knows the statement. */
  table: string | null;
  lock: LockMode | 'unknown';
  blocks: Blocked | 'unknown';
  /** How many rows the table has, by the server's estimate. Null for an index, and where it is not known. */
  rows: number | null;
  /** Waits at most 300 ms for the lock, then lets the traffic through and retries. Held for milliseconds. */
  isBrief: boolean;
}

interface PlannedMigration extends Pick<Migration, 'name' | 'runs'> {
  isOneTransaction: boolean;
  /** Began in a run that was interrupted; the next run continues it. */
  isUnfinished: boolean;
  statements: { sql: string; locks: PlannedLock[] }[];
}

export interface MigrationPlan {
  migrations: PlannedMigration[];
  /** Functions with a new text. They are replaced before the deploy, in one transaction, which locks no table. */
  functions: string[];
}

interface Catalogue {
  /** Tables without partitions have none; partitions are no tables of their own here. */
  tables: ReadonlyMap<string, { rows: number; partitions: number | null }>;
  tableOfIndex: ReadonlyMap<string, string>;
}

const tablesSql = `
  select c.relname as name, case c.relkind when 'p' then count(h.inhrelid)::int end as partitions,
    greatest(0, case c.relkind when 'p' then coalesce(sum(greatest(0, part.reltuples)), 0) else c.reltuples end)::float8 as rows
  from pg_class c
  left join pg_inherits h on h.inhparent = c.oid
  left join pg_class part on part.oid = h.inhrelid
  where c.relnamespace = to_regnamespace('kelpie') and c.relkind in ('r', 'p') and not c.relispartition
  group by c.oid`;

const indexesSql = `
  select c.relname as name, t.relname as "table" from pg_index i
  join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
  where c.relnamespace = to_regnamespace('kelpie')`;

async function readCatalogue(client: Client): Promise<Catalogue> {
  const tables = await client.query<{ name: string; partitions: number | null; rows: number }>(tablesSql);
  const indexes = await client.query<{ name: string; table: string }>(indexesSql);
  return {
    tables: new Map(tables.rows.map(({ name, rows, partitions }) => [name, { rows, partitions }])),
    tableOfIndex: new Map(indexes.rows.map(({ name, table }) => [name, table])),
  };
}

async function namesIn(
  client: Client,
  table: string,
  condition = 'true',
): Promise<{ name: string; checksum: string }[]> {
  const { rows: there } = await client.query('select from pg_class where oid = to_regclass($1)', [table]);
  if (there.length === 0) return [];
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select name, checksum from ${table} where ${condition}`,
  );
  return rows;
}

/** An index of a table with partitions is built and attached partition by partition. */
function locksInPartitions(table: string, { rows, partitions }: { rows: number; partitions: number }): PlannedLock[] {
  const brief = { rows: null, isBrief: true };
  return [
    { table, lock: 'share', blocks: 'writes', ...brief },
    {
      table: `${partitions} partitions of ${table}, one at a time`,
      lock: 'share update exclusive',
      blocks: 'nothing',
      rows,
      isBrief: false,
    },
    { table: `the new index of each partition`, lock: 'access exclusive', blocks: 'reads and writes', ...brief },
  ];
}

const unknown: PlannedLock = { table: null, lock: 'unknown', blocks: 'unknown', rows: null, isBrief: false };
const createdTable = /^create (?:unlogged table|table|view) (?:if not exists )?kelpie\.([a-z0-9_]+)/i;
const createdIndex =
  /^create (?:unique )?index (?:concurrently )?(?:if not exists )?([a-z0-9_]+)\s+on (?:only )?kelpie\.([a-z0-9_]+)/i;

/** What earlier statements of the plan create: no process uses these tables yet. */
interface Created {
  tables: Set<string>;
  /** The table of each index. */
  indexes: Map<string, string>;
}

function noteCreated(sql: string, { tables }: Catalogue, created: Created): void {
  const table = createdTable.exec(sql)?.[1];
  if (table !== undefined && !tables.has(table)) created.tables.add(table);
  const [, index, indexed] = createdIndex.exec(sql) ?? [];
  if (index !== undefined && indexed !== undefined) created.indexes.set(index, indexed);
}

function planLocks(sql: string, { tables, tableOfIndex }: Catalogue, created: Created): PlannedLock[] {
  const locks = locksOf(sql, (index) => tableOfIndex.get(index) ?? created.indexes.get(index));
  if (locks === undefined) return [unknown];
  return locks
    .filter(({ table }) => !created.tables.has(table))
    .flatMap(({ table, lock }) => {
      const { rows = null, partitions = null } = tables.get(table) ?? {};
      const isBuilt = /^create .*?index concurrently /i.test(sql);
      if (isBuilt && partitions !== null) return locksInPartitions(table, { rows: rows ?? 0, partitions });
      const isDropped = /^drop index concurrently /i.test(sql);
      if (isDropped && partitions !== null)
        return [{ table, lock: 'access exclusive', blocks: 'reads and writes', rows, isBrief: true }];
      return [{ table, lock, blocks: blockedBy(lock), rows, isBrief: false }];
    });
}

function planAll(pending: readonly Migration[], catalogue: Catalogue, begun: ReadonlySet<string>): PlannedMigration[] {
  const created: Created = { tables: new Set(), indexes: new Map() };
  return pending.map(({ name, runs, concurrent, statements }) => ({
    name,
    runs,
    isOneTransaction: concurrent === null,
    isUnfinished: begun.has(name),
    statements: statements.map(({ sql }) => {
      noteCreated(sql, catalogue, created);
      return { sql, locks: planLocks(sql, catalogue, created) };
    }),
  }));
}

/** What `migrate` would do, and which locks it would take. Changes nothing, and waits for no other run. */
export async function planMigrations({
  url,
  folder = ownFolder,
}: {
  /** As the owner or the reading role. */
  url: string;
  folder?: URL;
}): Promise<MigrationPlan> {
  const client = new Client({
    connectionString: url,
    application_name: 'kelpie-migrate',
    connectionTimeoutMillis: 10_000,
    statement_timeout: 10_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin read only');
    const applied = new Set((await namesIn(client, 'kelpie.migrations')).map(({ name }) => name));
    const begun = new Set((await namesIn(client, 'kelpie.unfinished_migrations')).map(({ name }) => name));
    const functions = await namesIn(client, 'kelpie.functions', 'is_current');
    const current = new Map(functions.map(({ name, checksum }) => [name, checksum]));
    const pending = readMigrations(folder).filter(({ name }) => !applied.has(name));
    const changed = readFunctions(folder).filter(({ name, checksum }) => current.get(name) !== checksum);
    return {
      migrations: planAll(pending, await readCatalogue(client), begun),
      functions: changed.map(({ name }) => name),
    };
  } finally {
    await client.end();
  }
}
