import { DatabaseError, type PoolClient } from 'pg';
import type { Failpoint } from '../failpoint.ts';
import type { RowMacs } from '../row-mac.ts';
import { inDatabaseSpan } from '../spans.ts';
import { isConnectionUsable } from './database-state.ts';
import type { Pool } from './pool.ts';
import { CommitUncertain, refuseConnection, refuseStatement, writesRefused } from './unavailable.ts';
import type { WriteGate } from './write-gate.ts';

/** A statement that is a whole transaction: one round trip, prepared once on each connection under its name. */
export interface Call {
  name: string;
  text: string;
  /**
   * Whether its commit waits for the standby. It is refused at once while no commit is confirmed. What only notes that
   * something was used, and commits without waiting, is no such call: it must not fail a read.
   */
  writes?: true;
}

type Texts = (string | null)[];

/** What a store function gets first where its work is one call. */
export interface SingleCalls {
  /** The gate that calls which write have to pass. */
  readonly writeGate: WriteGate;
  /** Of rows that decide who may pay. */
  readonly rowMacs: RowMacs;
  call<Row extends object>(call: Call, values: readonly unknown[]): Promise<Row[]>;
  /** The same, with a row as the list of its columns' texts. That is read in half the time: for what comes by the dozen. */
  callForTexts<Columns extends Texts>(call: Call, values: readonly unknown[]): Promise<Columns[]>;
}

/** The database itself asks for another try: two transactions were in each other's way. */
const tryAgain = new Set(['40001', '40P01']);
const mostTries = 4;

/**
 * A migration added a column to what the statement returns, after this connection had prepared it. Nothing was executed.
 * Each connection of a pool can be like that once.
 */
export function isStale(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
}
const mostStale = 100;

/** An error that a function of ours raised on purpose, by its code, or undefined. */
export function raisedBy(error: unknown): { code: string; detail: string | undefined } | undefined {
  if (!(error instanceof DatabaseError) || error.code?.startsWith('KP') !== true) return undefined;
  return { code: error.code, detail: error.detail };
}

/** The server itself said no, and so undid all of it; without its word, a call may have happened or not. */
export function wasUndone(error: unknown): boolean {
  return error instanceof DatabaseError;
}

type Ask<Row> = (client: PoolClient) => Promise<{ rows: Row[] }>;

/** On a connection that the caller has chosen, once. */
export async function callIn<Row extends object>(
  client: PoolClient,
  call: Call,
  values: readonly unknown[],
): Promise<{ rows: Row[] }> {
  return client.query<Row>({ ...call, values: [...values] });
}

const asText = { getTypeParser: () => (text: string) => text };

export async function callForTextsIn<Columns extends Texts>(
  client: PoolClient,
  call: Call,
  values: readonly unknown[],
): Promise<{ rows: Columns[] }> {
  return client.query<Columns>({ ...call, values: [...values], rowMode: 'array', types: asText });
}

async function askOnce<Row>(pool: Pool, ask: Ask<Row>, writes: boolean): Promise<Row[]> {
  const client = await pool.connect().catch((error: unknown) => {
    throw refuseConnection(pool.writeGate, error);
  });
  let warned = false;
  let broken = true;
  const onNotice = (): void => {
    warned = true;
  };
  client.on('notice', onNotice);
  try {
    const { rows } = await ask(client);
    broken = false;
    // The wait for the standby was broken off: the server says that all is well, and warns.
    if (warned) throw new CommitUncertain('database_commit_unconfirmed');
    return rows;
  } catch (error) {
    broken = !isConnectionUsable(error) || isStale(error);
    throw refuseStatement(pool.writeGate, error, { writes, isCommit: writes });
  } finally {
    client.off('notice', onNotice);
    client.release(broken);
  }
}

export function createSingleCalls(pool: Pool, failpoint: Failpoint): SingleCalls {
  const { writeGate, rowMacs } = pool;
  const askAgain = async <Row>({ name, writes }: Call, ask: Ask<Row>): Promise<Row[]> => {
    if (writes === true && !writeGate.isOpen()) throw writesRefused();
    await failpoint(`database.${name}.before`);
    let stale = 0;
    for (let tries = 1; ; tries += 1) {
      try {
        const rows = await askOnce(pool, ask, writes === true);
        await failpoint(`database.${name}.after`);
        return rows;
      } catch (error) {
        if (isStale(error) && stale < mostStale) {
          stale += 1;
          tries -= 1;
          continue;
        }
        const again = error instanceof DatabaseError && tryAgain.has(error.code ?? '');
        if (!again || tries === mostTries) throw error;
      }
    }
  };
  return {
    writeGate,
    rowMacs,
    call: async <Row extends object>(call: Call, values: readonly unknown[]) =>
      inDatabaseSpan(call.name, async () => askAgain(call, async (client) => callIn<Row>(client, call, values))),
    callForTexts: async <Columns extends Texts>(call: Call, values: readonly unknown[]) =>
      inDatabaseSpan(call.name, async () =>
        askAgain(call, async (client) => callForTextsIn<Columns>(client, call, values)),
      ),
  };
}
