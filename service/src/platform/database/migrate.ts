import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import type { Logger } from '../logging.ts';
import { OperatorError } from '../operator-error.ts';
import type { Pool } from './pool.ts';

interface MigrateOptions {
  ownerUrl: string;
  now: Date;
  logger: Logger;
  /** Other migrations than the service's own. */
  folder?: URL;
  /** What has to follow the migrations, with no other run beside it. */
  afterwards?: () => Promise<void>;
}

interface Migration {
  name: string;
  checksum: string;
  sql: string;
}

const ownFolder = new URL('../../../migrations/', import.meta.url);
const lockTries = 5;
const pauseBetweenTriesMs = 1_000;

/** In the order of their numbers. A gap or a doubled number is a merge gone wrong, and stops everything. */
function readMigrations(folder: URL): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted();
  return names.map((name, index) => {
    const number = String(index + 1).padStart(4, '0');
    if (!name.startsWith(`${number}_`))
      throw new OperatorError(`${name} should be number ${number}: the migrations have a gap, or two have one number`);
    const sql = readFileSync(new URL(name, folder), 'utf8');
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/** The newest migration that this version of the code was written for. */
export function newestMigration(): string {
  const newest = readMigrations(ownFolder).at(-1);
  if (newest === undefined) throw new OperatorError('there are no migrations');
  return newest.name;
}

/** Throws where the database is older than this code. */
export async function assertApplied(pool: Pool, migration: string): Promise<void> {
  const { rowCount } = await pool.query('select from kelpie.migrations where name = $1', [migration]);
  if (rowCount !== 1) throw new OperatorError(`${migration} is not applied`);
}

async function findApplied(client: Client): Promise<Map<string, string>> {
  await client.query(`
    create schema if not exists kelpie;
    create table if not exists kelpie.migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null
    );
    comment on table kelpie.migrations is '@bounded @shared One row a migration.';
  `);
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from kelpie.migrations',
  );
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

/** An applied migration that is here under another name would be applied again. Newer ones are a newer version's business. */
function refuseForgotten(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const names = new Set(migrations.map((migration) => migration.name));
  const newest = migrations.at(-1)?.name.slice(0, 4) ?? '';
  const forgotten = [...applied.keys()].find((name) => !names.has(name) && name.slice(0, 4) <= newest);
  if (forgotten !== undefined)
    throw new OperatorError(`${forgotten} was applied, but is not among the migrations: was it renamed?`);
}

async function apply(client: Client, migration: Migration, appliedAt: Date): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into kelpie.migrations (name, checksum, applied_at) values ($1, $2, $3)', [
      migration.name,
      migration.checksum,
      appliedAt,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

const lockNotAvailable = '55P03';

/**
 * A migration that waits for a lock makes every query behind it wait too. So it gives up after the lock timeout, lets
 * the traffic through, and tries again a few times.
 */
async function applyWithRetries(client: Client, migration: Migration, appliedAt: Date): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await apply(client, migration, appliedAt);
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable || attempt === lockTries) throw error;
    }
    await wait(pauseBetweenTriesMs);
  }
}

/** Applies what is missing, in order, one transaction each. Two runs at once are safe: the second waits for the first. */
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
    const applied = await findApplied(client);
    const done: string[] = [];
    const migrations = readMigrations(options.folder ?? ownFolder);
    refuseForgotten(migrations, applied);
    for (const migration of migrations) {
      const known = applied.get(migration.name);
      if (known === undefined) {
        await applyWithRetries(client, migration, options.now);
        options.logger.info({ migration: migration.name }, 'migration.applied');
        done.push(migration.name);
      } else if (known !== migration.checksum) {
        throw new OperatorError(
          `${migration.name} was changed after it was applied: write a new migration instead (a database of your own: npm run db:reset)`,
        );
      }
    }
    await options.afterwards?.();
    return done;
  } finally {
    await client.end();
  }
}
