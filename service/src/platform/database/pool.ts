import { Pool, TypeOverrides, types } from 'pg';
import type { Logger } from '../logging.ts';
import { inUtc, readInstant } from './instants.ts';

export type { Pool };

interface PoolOptions {
  /** For work that reads everything there is, and for a person's command: it may take long, and no caller waits for it. */
  unhurried?: true;
  url: string;
  connections: number;
  applicationName: string;
  logger: Logger;
}

/**
 * A statement is planned once on a connection. Left to itself, the server plans anew at each call what reads a table with
 * partitions, which costs more than the call.
 */
const planOnce = '-c plan_cache_mode=force_generic_plan';

/** A caller is told within this time that no connection is to be had, rather than left waiting. */
const connectTimeoutMs = 2_000;
const unhurriedConnectTimeoutMs = 30_000;
const statementTimeoutMs = 10_000;
/** Our own deadline, for a server that can't keep the one before it: its network is gone, or its standby. */
const queryTimeoutMs = 12_000;
const lockTimeoutMs = 5_000;

const readers = new TypeOverrides();
// The driver checks that it is a number, and hands it on as it came.
readers.setTypeParser(types.builtins.INT8, (text: string) => text);
readers.setTypeParser(types.builtins.TIMESTAMPTZ, readInstant);

export function openPool({ url, connections, applicationName, logger, unhurried }: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: connections,
    application_name: applicationName,
    options: `${planOnce} ${inUtc}`,
    types: readers,
    connectionTimeoutMillis: unhurried ? unhurriedConnectTimeoutMs : connectTimeoutMs,
    ...(unhurried ? {} : { statement_timeout: statementTimeoutMs, query_timeout: queryTimeoutMs }),
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
  });
  // A connection that the server ends is replaced at the next use. Without listeners it would end the process: the pool's
  // hears of those that are idle, and each connection's own of the rest, whose queries then fail.
  pool.on('error', (error) => logger.warn({ error }, 'database.connection_lost'));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
