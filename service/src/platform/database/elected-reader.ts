import type { PoolClient } from 'pg';
import type { Pool } from './pool.ts';
import type { Transaction } from './transaction.ts';

/** What reads by the elected process get. */
export type ElectedTransaction = Pick<Transaction, 'query'>;

/** Of all processes that give the same lock, one at a time reads: the others leave it to that one. */
export interface ElectedReader {
  /** Does the work in a read-only transaction. Null where another process is elected. */
  read<Result>(work: (tx: ElectedTransaction) => Promise<Result>): Promise<Result | null>;
  /** Whether this process is the one, as far as it knows. */
  isElected: () => boolean;
  /** Leaves it to another, and ends the pool. */
  stop(): Promise<void>;
}

/**
 * The lock belongs to a connection, so a process that dies leaves it to the next. The reads go over the same connection: where one
 * succeeds, the lock was still ours. The pool is for this alone, with one connection.
 */
export function createElectedReader(pool: Pool, lock: string): ElectedReader {
  let elected: PoolClient | null = null;
  const resign = (client: PoolClient): void => {
    if (elected !== client) return;
    elected = null;
    client.release(true);
  };
  const stand = async (): Promise<void> => {
    const client = await pool.connect();
    let isElected = false;
    let broken = true;
    try {
      const { rows } = await client.query<{ is_elected: boolean }>(
        'select pg_try_advisory_lock(hashtextextended($1, 0)) as is_elected',
        [lock],
      );
      isElected = rows[0]?.is_elected === true;
      broken = false;
    } finally {
      if (isElected) {
        elected = client;
        // Without its connection the lock is another's to take, at once.
        client.once('end', () => resign(client));
      } else client.release(broken);
    }
  };
  return {
    async read(work) {
      if (elected === null) await stand();
      const client = elected;
      if (client === null) return null;
      try {
        await client.query('begin read only');
        const result = await work({
          query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
            client.query<Row>(text, [...values]),
        });
        await client.query('commit');
        return result;
      } catch (error) {
        resign(client);
        throw error;
      }
    },
    isElected: () => elected !== null,
    async stop() {
      if (elected !== null) resign(elected);
      await pool.end();
    },
  };
}
