import { setTimeout as wait } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import type { Logger } from '../logging.ts';
import { OperatorError } from '../operator-error.ts';
import { createFunctions, readFunctions, type FunctionSource } from './functions.ts';
import { ownFolder, readMigrations, type Migration } from './migrations.ts';
import type { Pool } from './pool.ts';

interface MigrateOptions {
  ownerUrl: string;
  now: Date;
  logger: Logger;
  /** Other migrations and functions than the service's own. */
  folder?: URL;
  /** What has to follow the migrations, with no other run beside it. */
  afterwards?: () => Promise<void>;
}

const lockTries = 5;
const pauseBetweenTriesMs = 1_000;

/** What this version of the code was written for. */
export interface Expected {
  migration: string;
  functions: readonly Pick<FunctionSource, 'name' | 'checksum'>[];
}

export function readExpected(): Expected {
  const newest = readMigrations(ownFolder).at(-1);
  if (newest === undefined) throw new OperatorError('there are no migrations');
  return { migration: newest.name, functions: readFunctions(ownFolder) };
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
    create table if not exists kelpie.functions (
      name text not null,
      checksum text not null,
      applied_at timestamptz not null,
      is_current boolean not null,
      primary key (name, checksum)
    );
    comment on table kelpie.functions is '@bounded @shared One row for each text that a function has had.';
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
  const numbers = new Set(migrations.map(({ name }) => name.slice(0, 4)));
  const lost = functions.find(({ neededAfter }) => neededAfter !== null && !numbers.has(neededAfter));
  if (lost !== undefined)
    throw new OperatorError(`${lost.name} should be applied after ${lost.neededAfter}, which is not a migration`);
}

const lockNotAvailable = '55P03';

/**
 * Does the work in one transaction. One that waits for a lock makes every query behind it wait too, so it gives up after
 * the lock timeout, lets the traffic through, and tries again a few times.
 */
async function inRetriedTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('begin');
    try {
      await work();
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback');
      if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable || attempt === lockTries) throw error;
    }
    await wait(pauseBetweenTriesMs);
  }
}

/**
 * Two phases: functions that a policy, a check or a trigger needs are applied right after the migration that they name,
 * before the next one; all others when the tables are there.
 */
async function applyMissing(client: Client, options: MigrateOptions): Promise<string[]> {
  const { folder = ownFolder, now, logger } = options;
  const applied = await findApplied(client);
  const migrations = readMigrations(folder);
  assertKnown(migrations, applied.migrations);
  const changed = readFunctions(folder).filter(({ name, checksum }) => applied.functions.get(name) !== checksum);
  assertPhases(migrations, changed);
  const done: string[] = [];
  const apply = async (names: readonly string[], work: () => Promise<void>): Promise<void> => {
    if (names.length === 0) return;
    await inRetriedTransaction(client, work);
    done.push(...names);
    for (const name of names) logger.info({ migration: name }, 'migration.applied');
  };
  const applyFunctions = async (sources: readonly FunctionSource[]): Promise<void> =>
    apply(
      sources.map(({ name }) => name),
      async () => createFunctions(client, sources, now),
    );
  for (const { name, sql, checksum } of migrations) {
    if (!applied.migrations.has(name))
      await apply([name], async () => {
        await client.query(sql);
        await client.query('insert into kelpie.migrations (name, checksum, applied_at) values ($1, $2, $3)', [
          name,
          checksum,
          now,
        ]);
      });
    await applyFunctions(changed.filter(({ neededAfter }) => neededAfter === name.slice(0, 4)));
  }
  await applyFunctions(changed.filter(({ neededAfter }) => neededAfter === null));
  return done;
}

/** Applies what is missing or has changed. Two runs at once are safe: the second waits for the first. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const client = new Client({
    connectionString: options.ownerUrl,
    application_name: 'kelpie-migrate',
    connectionTimeoutMillis: 10_000,
  });
  // A connection that ends fails the query under way; without a listener it would end the process before that.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`set lock_timeout = '10min'`);
    await client.query(`select pg_advisory_lock(hashtextextended('kelpie.migrate', 0))`);
    await client.query(`set lock_timeout = '3s'; set statement_timeout = '5min'`);
    const done = await applyMissing(client, options);
    await options.afterwards?.();
    return done;
  } finally {
    await client.end();
  }
}
