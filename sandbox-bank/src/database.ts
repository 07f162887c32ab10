import { readFile } from 'node:fs/promises';
import { Pool, types } from 'pg';
import type { Log } from './log.ts';

export type { Pool };

// Amounts are bigint from the database to the wire: a float never holds money, not even on its way.
types.setTypeParser(types.builtins.INT8, BigInt);

const connections = 20;
const statementTimeoutMs = 15_000;
const lockTimeoutMs = 10_000;

/** What a function that reads or writes gets first: it can ask the database, but neither commit nor keep the connection. */
export interface Transaction {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

export function openPool(url: string, log: Log): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    application_name: 'kelpie-sandbox-bank',
    connectionTimeoutMillis: statementTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    // Compiling our small statements to machine code takes twenty times as long as running them.
    options: '-c jit=off -c search_path=bank',
    idle_in_transaction_session_timeout: statementTimeoutMs,
  });
  // A connection that the server ends is replaced at the next use. Without listeners it would end the process: the pool's
  // hears of those that are idle, and each connection's own of the rest, whose queries then fail.
  pool.on('error', () => log('database.connection_lost'));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A statement with a name is parsed once a connection. There are as many as this program has texts, and no more. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return name;
}

export async function inTransaction<Result>(pool: Pool, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('begin');
    const result = await work({
      async query<Row extends object>(text: string, values: readonly unknown[] = []) {
        return client.query<Row>({ name: nameOf(text), text, values: [...values] });
      },
    });
    // The server answers ROLLBACK where an error inside was swallowed: nothing may be acknowledged then.
    const { command } = await client.query('commit');
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
    return result;
  } catch (error) {
    // A connection that can't roll back is in an unknown state: it is closed instead of handed to the next caller.
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Makes what is missing. Two banks that start at once on one database wait for each other. */
export async function applySchema(pool: Pool): Promise<void> {
  const schema = await readFile(new URL('../schema.sql', import.meta.url), 'utf8');
  const client = await pool.connect();
  try {
    // Several statements in one query are one transaction, which the lock lives as long as.
    await client.query(`select pg_advisory_xact_lock(hashtextextended('kelpie.sandbox_bank', 0));\n${schema}`);
  } finally {
    client.release();
  }
}
