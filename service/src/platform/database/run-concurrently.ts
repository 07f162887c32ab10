import type { Client } from 'pg';
import type { Logger } from '../logging.ts';
import { OperatorError } from '../operator-error.ts';
import { partitionIndexName, type ConcurrentStatement } from './concurrent-statements.ts';
import { retryingLocks } from './lock-retries.ts';

// What a migration outside a transaction does, statement by statement. An index of a table with partitions is built in one
// partition after the other and attached to the table's: PostgreSQL can't build that one concurrently itself.

interface ConcurrentDeps {
  client: Client;
  logger: Logger;
}

type CreateIndex = Extract<ConcurrentStatement, { kind: 'create index' }>;

/** It waits for every transaction that is older than itself, which blocks no query. So it has no lock timeout. */
async function runUnhurried({ client }: ConcurrentDeps, sql: string): Promise<void> {
  await client.query(`set lock_timeout = 0; set statement_timeout = '6h'`);
  await client.query(sql);
}

/** Blocks queries while it waits for its lock, so it gives up soon and tries again. */
async function runBriefly({ client }: ConcurrentDeps, sql: string): Promise<void> {
  await retryingLocks(client, async () => void (await client.query(sql)));
}

interface FoundIndex {
  table: string;
  is_valid: boolean;
  is_partitioned: boolean;
}

async function findIndex({ client }: ConcurrentDeps, index: string): Promise<FoundIndex | undefined> {
  const { rows } = await client.query<FoundIndex>(
    `select t.relname as table, i.indisvalid as is_valid, c.relkind = 'I' as is_partitioned
     from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
     where c.relnamespace = 'kelpie'::regnamespace and c.relname = $1`,
    [index],
  );
  return rows[0];
}

/** Null for a table without partitions. */
async function findPartitions({ client }: ConcurrentDeps, table: string): Promise<string[] | null> {
  const { rows } = await client.query<{ partitions: string[] }>(
    `select array(
       select child.relname::text from pg_inherits h join pg_class child on child.oid = h.inhrelid
       where h.inhparent = parent.oid order by 1
     ) as partitions
     from pg_class parent
     where parent.relnamespace = 'kelpie'::regnamespace and parent.relname = $1 and parent.relkind = 'p'`,
    [table],
  );
  return rows[0]?.partitions ?? null;
}

async function dropOne(deps: ConcurrentDeps, index: string): Promise<void> {
  const found = await findIndex(deps, index);
  if (found === undefined) return;
  // PostgreSQL has no concurrent form for the index of a table with partitions.
  if (found.is_partitioned) await runBriefly(deps, `drop index kelpie.${index}`);
  else await runUnhurried(deps, `drop index concurrently kelpie.${index}`);
}

/** What is there and valid was built by a run that was interrupted later; what is there and invalid, by one that was then. */
async function buildOne(deps: ConcurrentDeps, { index, table, isUnique, definition }: CreateIndex): Promise<void> {
  const found = await findIndex(deps, index);
  if (found?.is_valid) return;
  if (found !== undefined) {
    deps.logger.warn({ migration: index }, 'migration.invalid_index_dropped');
    await dropOne(deps, index);
  }
  try {
    const kind = isUnique ? 'unique index' : 'index';
    await runUnhurried(deps, `create ${kind} concurrently ${index} on kelpie.${table} ${definition}`);
  } catch (error) {
    // Left behind, it would cost every write, and a unique one would refuse some. The next run drops it where we can't.
    await dropOne(deps, index).catch(() => undefined);
    throw error;
  }
}

async function isAttached({ client }: ConcurrentDeps, index: string, partition: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_inherits h join pg_index i on i.indexrelid = h.inhrelid
     where h.inhparent = ('kelpie.' || $1)::regclass and i.indrelid = ('kelpie.' || $2)::regclass`,
    [index, partition],
  );
  return rowCount !== 0;
}

/** The table's own index is first: a partition that is created from then on has it already. */
async function buildInPartitions(deps: ConcurrentDeps, statement: CreateIndex): Promise<void> {
  const { index, table, isUnique, definition } = statement;
  if ((await findIndex(deps, index)) === undefined)
    await runBriefly(deps, `create ${isUnique ? 'unique ' : ''}index ${index} on only kelpie.${table} ${definition}`);
  for (const partition of (await findPartitions(deps, table)) ?? []) {
    if (await isAttached(deps, index, partition)) continue;
    const own = partitionIndexName(statement, partition);
    await buildOne(deps, { ...statement, index: own, table: partition });
    await runBriefly(deps, `alter index kelpie.${index} attach partition kelpie.${own}`);
    deps.logger.info({ migration: own }, 'migration.index_built');
  }
  if ((await findIndex(deps, index))?.is_valid !== true) throw new Error(`${index} is not valid in every partition`);
}

/** A partition that is valid already is not read again. */
async function validate(
  deps: ConcurrentDeps,
  { table, constraint }: Extract<ConcurrentStatement, { kind: 'validate constraint' }>,
): Promise<void> {
  for (const each of [...((await findPartitions(deps, table)) ?? []), table])
    await runUnhurried(deps, `alter table kelpie.${each} validate constraint ${constraint}`);
}

/** Does what is left of the statement. Safe to repeat, also after the process or its connection was killed. */
export async function runConcurrently(deps: ConcurrentDeps, statement: ConcurrentStatement): Promise<void> {
  switch (statement.kind) {
    case 'create index':
      return (await findPartitions(deps, statement.table)) === null
        ? buildOne(deps, statement)
        : buildInPartitions(deps, statement);
    case 'drop index':
      return dropOne(deps, statement.index);
    case 'validate constraint':
      return validate(deps, statement);
  }
}

/** Every name that the statements give to an index, of a table and of its partitions. */
async function listNewIndexes(deps: ConcurrentDeps, statements: readonly ConcurrentStatement[]): Promise<string[]> {
  const names: string[] = [];
  for (const statement of statements) {
    if (statement.kind !== 'create index') continue;
    const partitions = (await findPartitions(deps, statement.table)) ?? [];
    names.push(statement.index, ...partitions.map((partition) => partitionIndexName(statement, partition)));
  }
  return names;
}

/** Before the first statement of a migration: an index of that name is another one. */
export async function assertNoneBuilt(deps: ConcurrentDeps, statements: readonly ConcurrentStatement[]): Promise<void> {
  for (const index of await listNewIndexes(deps, statements)) {
    const found = await findIndex(deps, index);
    if (found !== undefined) throw new OperatorError(`The table ${found.table} already has an index named ${index}.`);
  }
}

/** For a migration whose text was changed after it was interrupted: what it built may be something else. */
export async function dropAllBuilt(deps: ConcurrentDeps, statements: readonly ConcurrentStatement[]): Promise<void> {
  for (const index of await listNewIndexes(deps, statements)) await dropOne(deps, index);
}
