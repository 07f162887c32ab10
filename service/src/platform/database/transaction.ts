import { DatabaseError, type PoolClient } from 'pg';
import type { RowMacs } from '../row-mac.ts';
import { inDatabaseSpan } from '../spans.ts';
import { isConnectionUsable } from './database-state.ts';
import type { Pool } from './pool.ts';
import { CommitUncertain, refuseConnection, refuseStatement, writesRefused } from './unavailable.ts';

type Environment = 'sandbox' | 'live';

/** Whose rows a transaction may see. Row security shows none at all where it is not set. */
export interface PartnerContext {
  partnerId: string;
  environment: Environment;
}

/**
 * `shared` is for rows that belong to no partner: row security hides all others from it. `batch` is the same, and may
 * besides call the functions that write for many partners at once.
 */
export type TransactionContext = PartnerContext | 'shared' | 'batch';

/** What a store function gets first. It stops working when its transaction ends: the connection is then another's. */
export interface Transaction {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
  /** Called once it is committed, and never if it rolls back. It must not fail: nobody would hear of it. */
  afterCommit(callback: () => void): void;
  /** Of rows that decide who may pay. */
  readonly rowMacs: RowMacs;
}

async function setContext(client: PoolClient, context: TransactionContext): Promise<void> {
  if (context === 'shared') return;
  if (context === 'batch') {
    await client.query(`select set_config('kelpie.batch', 'on', true)`);
    return;
  }
  await client.query(`select set_config('kelpie.partner_id', $1, true), set_config('kelpie.environment', $2, true)`, [
    context.partnerId,
    context.environment,
  ]);
}

/**
 * A commit is only what the server calls one: it answers ROLLBACK where an error inside was swallowed, and warns where
 * the wait for its standby was broken off, although it says COMMIT then too.
 */
async function commit(client: PoolClient): Promise<void> {
  let warned = false;
  const onNotice = (): void => {
    warned = true;
  };
  client.on('notice', onNotice);
  try {
    const { command } = await client.query('commit');
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: an error inside it was swallowed');
  } finally {
    client.off('notice', onNotice);
  }
  if (warned) throw new CommitUncertain('database_commit_unconfirmed');
}

/** The driver's own deadline, and a connection that ended: nobody is there to answer a rollback. */
const nobodyAnswers = /timeout|connection/i;

/** Says whether the connection can be used again. One that is closed instead rolls back all the same. */
async function rollBack(client: PoolClient, cause: unknown): Promise<boolean> {
  if (cause instanceof DatabaseError ? !isConnectionUsable(cause) : isSilent(cause)) return false;
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

function isSilent(cause: unknown): boolean {
  return cause instanceof Error && nobodyAnswers.test(cause.message);
}

type Work<Result> = (tx: Transaction) => Promise<Result>;

/** Its statements have no names, so all of it is one span. */
const spanName = 'transaction';

async function transact<Result>(
  pool: Pool,
  context: TransactionContext,
  work: Work<Result>,
  begin: 'begin' | 'begin read only',
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw refuseConnection(pool.writeGate, error);
  });
  const writes = begin === 'begin';
  let ended = false;
  let isCommit = false;
  let broken = false;
  const callbacks: (() => void)[] = [];
  try {
    await client.query(begin);
    await setContext(client, context);
    const result = await work({
      async query<Row extends object>(text: string, values: readonly unknown[] = []) {
        if (ended) throw new Error('this transaction has ended');
        return client.query<Row>(text, [...values]);
      },
      afterCommit: (callback) => callbacks.push(callback),
      rowMacs: pool.rowMacs,
    });
    ended = true;
    isCommit = writes;
    await commit(client);
    for (const callback of callbacks) callback();
    return result;
  } catch (error) {
    ended = true;
    broken = !(await rollBack(client, error));
    throw refuseStatement(pool.writeGate, error, { writes, isCommit });
  } finally {
    client.release(broken);
  }
}

/** Does the work in one transaction, and says that it is done only once it is committed. */
export async function inTransaction<Result>(
  pool: Pool,
  context: TransactionContext,
  work: Work<Result>,
): Promise<Result> {
  if (!pool.writeGate.isOpen()) throw writesRefused();
  return inDatabaseSpan(spanName, async () => transact(pool, context, work, 'begin'));
}

/** The same for work that only reads, which is done also while no write can be confirmed. The server refuses any write. */
export async function inReadOnlyTransaction<Result>(
  pool: Pool,
  context: TransactionContext,
  work: Work<Result>,
): Promise<Result> {
  return inDatabaseSpan(spanName, async () => transact(pool, context, work, 'begin read only'));
}

/** Thrown to undo a transaction that has shown what it would do. */
class OnlyTried extends Error {}

/** Does the work in one transaction and undoes it, whole. What it found out is all that stays. */
export async function inUndoneTransaction<Result>(
  pool: Pool,
  context: TransactionContext,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const found: Result[] = [];
  try {
    await inTransaction(pool, context, async (tx) => {
      found.push(await work(tx));
      throw new OnlyTried();
    });
  } catch (error) {
    if (!(error instanceof OnlyTried)) throw error;
  }
  const [result] = found;
  if (result === undefined) throw new Error('a trial that found out nothing');
  return result;
}
