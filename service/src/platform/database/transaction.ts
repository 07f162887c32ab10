import { DatabaseError, type PoolClient } from 'pg';
import type { Pool } from './pool.ts';
import { refuseAsTooBusy } from './too-busy.ts';

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
}

/** The commit may or may not have happened. The caller must find out, or repeat what is safe to repeat. */
export class CommitUncertain extends Error {
  override readonly name = 'CommitUncertain';
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
  if (warned) throw new CommitUncertain('the server warned while it committed');
}

/** The driver's own deadline, and a connection that ended: nobody is there to answer a rollback. */
const nobodyAnswers = /timeout|connection/i;

/** Says whether the connection can be used again. One that is closed instead rolls back all the same. */
async function rollBack(client: PoolClient, cause: unknown): Promise<boolean> {
  if (!(cause instanceof DatabaseError) && cause instanceof Error && nobodyAnswers.test(cause.message)) return false;
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

/** Does the work in one transaction, and says that it is done only once it is committed. */
export async function inTransaction<Result>(
  pool: Pool,
  context: TransactionContext,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch(refuseAsTooBusy);
  let ended = false;
  let broken = false;
  try {
    await client.query('begin');
    await setContext(client, context);
    const result = await work({
      async query<Row extends object>(text: string, values: readonly unknown[] = []) {
        if (ended) throw new Error('this transaction has ended');
        return client.query<Row>(text, [...values]);
      },
    });
    ended = true;
    await commit(client);
    return result;
  } catch (error) {
    ended = true;
    broken = !(await rollBack(client, error));
    throw error;
  } finally {
    client.release(broken);
  }
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
