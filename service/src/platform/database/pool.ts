import { Pool as DriverPool, TypeOverrides, types } from 'pg';
import type { Logger } from '../logging.ts';
import { createRowMacs, noRowMacs, type RowKeys, type RowMacs } from '../row-mac.ts';
import { inUtc, readInstant } from './instants.ts';
import { openWriteGate, type WriteGate } from './write-gate.ts';

/** With the gate that its writes pass, and the MACs of rows that decide. */
export type Pool = DriverPool & { readonly writeGate: WriteGate; readonly rowMacs: RowMacs };

interface Deadlines {
  /** For a free connection, and for opening one. */
  connectMs: number;
  /** The server's own, and a later one of ours: the server can't keep its own while its standby or its network is gone. */
  statementMs: number;
  queryMs: number;
}

/** Who waits for the work decides how long it may take. */
const paces = {
  /** A caller, for ten seconds at most. A commit that broke off is looked up within them. */
  request: { connectMs: 2_000, statementMs: 7_000, queryMs: 8_000 },
  /** The same caller, whom the primary answers where the standby does not. */
  standby: { connectMs: 300, statementMs: 7_000, queryMs: 8_000 },
  job: { connectMs: 2_000, statementMs: 10_000, queryMs: 12_000 },
  /** A person. */
  command: { connectMs: 10_000, statementMs: 28_000, queryMs: 30_000 },
  /** Work that reads everything there is. */
  unhurried: { connectMs: 30_000, statementMs: 0, queryMs: 0 },
} as const satisfies Record<string, Deadlines>;

export type Pace = keyof typeof paces;

/** How long a person's command waits for one statement. */
export const commandSeconds = paces.command.queryMs / 1_000;

interface PoolOptions {
  url: string;
  connections: number;
  applicationName: string;
  logger: Logger;
  /** `job` where it is not said. */
  pace?: Pace;
  /** Always open where it is not given. */
  writeGate?: WriteGate;
  /** For who writes rows that decide, or decides by them. */
  rowKeys?: RowKeys;
}

/**
 * A statement is planned once on a connection. Left to itself, the server plans anew at each call what reads a table with
 * partitions, which costs more than the call.
 */
const planOnce = '-c plan_cache_mode=force_generic_plan';
const lockTimeoutMs = 5_000;
const idleInTransactionMs = 10_000;

const readers = new TypeOverrides();
// The driver checks that it is a number, and hands it on as it came.
readers.setTypeParser(types.builtins.INT8, (text: string) => text);
readers.setTypeParser(types.builtins.TIMESTAMPTZ, readInstant);

function openRowMacs({ rowKeys, logger }: Pick<PoolOptions, 'rowKeys' | 'logger'>): RowMacs {
  if (rowKeys === undefined) return noRowMacs;
  return createRowMacs(rowKeys, ({ table, partnerId }) =>
    logger.error({ action: table, partner_id: partnerId }, 'row.tampered'),
  );
}

export function openPool({ url, connections, applicationName, pace = 'job', writeGate, ...more }: PoolOptions): Pool {
  const { logger } = more;
  const { connectMs, statementMs, queryMs } = paces[pace];
  const pool = new DriverPool({
    connectionString: url,
    max: connections,
    application_name: applicationName,
    options: `${planOnce} ${inUtc}`,
    types: readers,
    connectionTimeoutMillis: connectMs,
    ...(statementMs === 0 ? {} : { statement_timeout: statementMs, query_timeout: queryMs }),
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    keepAlive: true,
  });
  // A connection that the server ends is replaced at the next use. Without listeners it would end the process: the pool's
  // hears of those that are idle, and each connection's own of the rest, whose queries then fail.
  pool.on('error', (error) => logger.warn({ error }, 'database.connection_lost'));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return Object.assign(pool, { writeGate: writeGate ?? openWriteGate, rowMacs: openRowMacs(more) });
}
