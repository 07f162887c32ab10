import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import type { Logger } from '../logging.ts';
import { OperatorError } from '../operator-error.ts';
import { createFunctions, readFunctions, type FunctionSource } from './functions.ts';
import { retryingLocks } from './lock-retries.ts';
import { ownFolder, readMigrations, type Migration } from './migrations.ts';
import type { Pool } from './pool.ts';
import { assertNoneBuilt, dropAllBuilt, runConcurrently } from './run-concurrently.ts';

interface MigrateOptions {
  ownerUrl: string;
  now: Date;
  logger: Logger;
  /** Which migrations to run: those for before the deploy unless it says otherwise. */
  runs?: Migration['runs'];
  /** Other migrations and functions than the service's own. */
  folder?: URL;
  /** What has to follow the migrations, with no other run beside it. */
  afterwards?: () => Promise<void>;
}

export interface Migrated {
  /** Names of migrations and functions. */
  applied: string[];
  /** Migrations that run after the deploy. */
  waiting: string[];
}

/** What this version of the code was written for. */
export interface Expected {
  migration: string;
  functions: readonly Pick<FunctionSource, 'name' | 'checksum'>[];
}

/** A process is ready without the migrations that run after its deploy. */
export function readExpected(folder = ownFolder): Expected {
  const newest = readMigrations(folder).findLast(({ runs }) => runs === 'before deploy');
  if (newest === undefined) throw new OperatorError('there are no migrations');
  return { migration: newest.name, functions: readFunctions(folder) };
}

/**
 * Throws where the database is older than this code. A function that a newer version has replaced since is fine: during a
 * rolling deploy both versions serve.
 */
export async function assertApplied(pool: Pool, { migration, functions }: Expected): Promise<void> {
  const { rowCount } = await pool.query('select from kelpie.migrations where name = $1', [migration]);
  if (rowCount !== 1) throw new OperatorError(`${migration} is not applied`);
  const { rows } = await pool.query<{ name: string }>(
    `select wanted.name from unnest($1::text[], $2::text[]) as wanted (name, checksum)
     where not exists (
       select from kelpie.functions f where f.name = wanted.name and f.checksum = wanted.checksum
     ) limit 1`,
    [functions.map(({ name }) => name), functions.map(({ checksum }) => checksum)],
  );
  if (rows[0] !== undefined) throw new OperatorError(`the function ${rows[0].name} is not applied`);
}

interface Applied {
  /** By name, their checksums. */
  migrations: ReadonlyMap<string, string>;
  functions: ReadonlyMap<string, string>;
}

async function checksumsByName(client: Client, sql: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(sql);
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

async function findApplied(client: Client): Promise<Applied> {
  await client.query(`
    create schema if not exists kelpie;
    create table if not exists kelpie.migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null
    );
    comment on table kelpie.migrations is '@bounded @shared One row per migration.';
    create table if not exists kelpie.unfinished_migrations (
      name text primary key,
      checksum text not null,
      begun_at timestamptz not null
    );
    comment on table kelpie.unfinished_migrations is
      '@bounded @shared Migrations outside a transaction that have begun and not ended: a row while one runs or is interrupted.';
    create table if not exists kelpie.functions (
      name text not null,
      checksum text not null,
      applied_at timestamptz not null,
      is_current boolean not null,
      primary key (name, checksum)
    );
    comment on table kelpie.functions is '@bounded @shared One row for each text that a function has had.';
    -- So that the doctor can say whether this version's migrations are applied.
    grant select on kelpie.migrations, kelpie.unfinished_migrations, kelpie.functions to kelpie_reader;
  `);
  return {
    migrations: await checksumsByName(client, 'select name, checksum from kelpie.migrations'),
    functions: await checksumsByName(client, 'select name, checksum from kelpie.functions where is_current'),
  };
}

function otherBaseline(name: string, how: string): OperatorError {
  return new OperatorError(
    `${name} was ${how} after it was applied, so this database has another baseline. ` +
      'Development: run npm run db:reset. Elsewhere: restore the file and write a new migration.',
  );
}

/** Newer ones are a newer version's business; any other that is missing here was renamed, and would be applied again. */
function assertKnown(migrations: readonly Migration[], applied: Applied['migrations']): void {
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const newest = migrations.at(-1)?.name.slice(0, 4) ?? '';
  for (const [name, checksum] of applied) {
    const here = checksums.get(name);
    if (here === undefined && name.slice(0, 4) <= newest) throw otherBaseline(name, 'renamed or removed');
    if (here !== undefined && here !== checksum) throw otherBaseline(name, 'changed');
  }
}

function assertPhases(migrations: readonly Migration[], functions: readonly FunctionSource[]): void {
  const byNumber = new Map(migrations.map((migration) => [migration.name.slice(0, 4), migration]));
  for (const { name, neededAfter } of functions) {
    if (neededAfter === null) continue;
    const migration = byNumber.get(neededAfter);
    if (migration === undefined)
      throw new OperatorError(`${name} should be applied after ${neededAfter}, which is not a migration`);
    if (migration.runs === 'after deploy')
      throw new OperatorError(`${name} should be applied after ${neededAfter}, which runs after the deploy`);
  }
}

async function inRetriedTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await retryingLocks(client, async () => {
    await client.query('begin');
    try {
      await work();
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  });
}

interface Session {
  client: Client;
  now: Date;
  logger: Logger;
}

async function recordApplied({ client, now }: Session, { name, checksum }: Migration): Promise<void> {
  await client.query('insert into kelpie.migrations (name, checksum, applied_at) values ($1, $2, $3)', [
    name,
    checksum,
    now,
  ]);
  await client.query('delete from kelpie.unfinished_migrations where name = $1', [name]);
}

/** From here on, an index that has a name from the migration was built by it, from the same text. */
async function beginConcurrent(session: Session, { name, checksum, concurrent }: Migration): Promise<void> {
  const { client, now } = session;
  const { rows } = await client.query<{ checksum: string }>(
    'select checksum from kelpie.unfinished_migrations where name = $1',
    [name],
  );
  if (rows[0]?.checksum === checksum) return;
  if (rows[0] === undefined) await assertNoneBuilt(session, concurrent ?? []);
  else await dropAllBuilt(session, concurrent ?? []);
  await client.query(
    `insert into kelpie.unfinished_migrations (name, checksum, begun_at) values ($1, $2, $3)
     on conflict (name) do update set checksum = excluded.checksum`,
    [name, checksum, now],
  );
}

async function applyMigration(session: Session, migration: Migration): Promise<void> {
  const { client } = session;
  if (migration.concurrent === null)
    return inRetriedTransaction(client, async () => {
      await client.query(migration.sql);
      await recordApplied(session, migration);
    });
  await beginConcurrent(session, migration);
  for (const statement of migration.concurrent) await runConcurrently(session, statement);
  await inRetriedTransaction(client, async () => recordApplied(session, migration));
}

interface Missing {
  migrations: readonly Migration[];
  /** Of these, the ones that are not applied. */
  pending: ReadonlySet<Migration>;
  changed: readonly FunctionSource[];
  /** No version before can be running on an empty database, so everything is applied to it, in the order of numbers. */
  isNew: boolean;
}

async function findMissing(client: Client, folder: URL): Promise<Missing> {
  const applied = await findApplied(client);
  const migrations = readMigrations(folder);
  assertKnown(migrations, applied.migrations);
  const changed = readFunctions(folder).filter(({ name, checksum }) => applied.functions.get(name) !== checksum);
  assertPhases(migrations, changed);
  const pending = new Set(migrations.filter(({ name }) => !applied.migrations.has(name)));
  return { migrations, pending, changed, isNew: applied.migrations.size === 0 };
}

interface Apply {
  migration: (migration: Migration) => Promise<void>;
  functions: (sources: readonly FunctionSource[]) => Promise<void>;
}

/**
 * Two phases: functions that a policy, a check or a trigger needs are applied right after the migration that they name,
 * before the next one; all others when the tables are there.
 */
async function applyBeforeDeploy(apply: Apply, { migrations, pending, changed, isNew }: Missing): Promise<void> {
  for (const migration of migrations) {
    if (pending.has(migration) && (isNew || migration.runs === 'before deploy')) await apply.migration(migration);
    await apply.functions(changed.filter(({ neededAfter }) => neededAfter === migration.name.slice(0, 4)));
  }
  await apply.functions(changed.filter(({ neededAfter }) => neededAfter === null));
}

async function applyAfterDeploy(apply: Apply, { pending, changed }: Missing): Promise<void> {
  const first = [...pending].find(({ runs }) => runs === 'before deploy');
  const missing = first?.name ?? changed[0]?.name;
  if (missing !== undefined)
    throw new OperatorError(`${missing} is not applied. Run kelpie-admin migrate and deploy this version first.`);
  for (const migration of pending) await apply.migration(migration);
}

async function applyMissing(client: Client, options: MigrateOptions): Promise<Migrated> {
  const { folder = ownFolder, runs = 'before deploy', now, logger } = options;
  const missing = await findMissing(client, folder);
  const session = { client, now, logger };
  const applied: string[] = [];
  const note = (names: readonly string[]): void => {
    applied.push(...names);
    for (const name of names) logger.info({ migration: name }, 'migration.applied');
  };
  const apply: Apply = {
    async migration(migration) {
      await applyMigration(session, migration);
      note([migration.name]);
    },
    async functions(sources) {
      if (sources.length === 0) return;
      await inRetriedTransaction(client, async () => createFunctions(client, sources, now));
      note(sources.map(({ name }) => name));
    },
  };
  await (runs === 'after deploy' ? applyAfterDeploy(apply, missing) : applyBeforeDeploy(apply, missing));
  const waiting = [...missing.pending].map(({ name }) => name).filter((name) => !applied.includes(name));
  return { applied, waiting };
}

const pauseBetweenLooksMs = 250;
const longestWaitMs = 600_000;

/**
 * Waits for another run without a statement under way: an index that is built concurrently waits for every statement that is
 * older, so a run that waited inside one would wait for ever.
 */
async function untilAlone(client: Client): Promise<void> {
  for (let waitedMs = 0; waitedMs < longestWaitMs; waitedMs += pauseBetweenLooksMs) {
    const { rows } = await client.query<{ is_alone: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('kelpie.migrate', 0)) as is_alone`,
    );
    if (rows[0]?.is_alone === true) return;
    await wait(pauseBetweenLooksMs);
  }
  throw new OperatorError('Another kelpie-admin migrate is still running. Retry when it has ended.', 'in_progress');
}

/**
 * For the server: a run that was killed ends there too, rather than when its index is built. And one process builds it, which
 * takes longer and leaves the other processors to the traffic.
 */
const sessionSettings = `set client_connection_check_interval = '1s'; set max_parallel_maintenance_workers = 0`;

/** Applies what is missing or has changed. Two runs at once are safe: the second waits for the first. */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const client = new Client({
    connectionString: options.ownerUrl,
    application_name: 'kelpie-migrate',
    connectionTimeoutMillis: 10_000,
  });
  // A connection that ends fails the query under way; without a listener it would end the process before that.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(sessionSettings);
    await untilAlone(client);
    await client.query(`set lock_timeout = '3s'; set statement_timeout = '5min'`);
    const migrated = await applyMissing(client, options);
    await options.afterwards?.();
    return migrated;
  } finally {
    await client.end();
  }
}
