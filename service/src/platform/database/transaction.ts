import type { Pool } from './pool.ts';

type Environment = 'sandbox' | 'live';

/** Whose rows a transaction may see. Row security shows none at all where it is not set. */
export interface PartnerContext {
  partnerId: string;
  environment: Environment;
}

/** What a store function gets first: it can ask the database, but neither commit nor keep the connection. */
export interface Transaction {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<{ rows: Row[] }>;
}

/** `shared` is for rows that belong to no partner: row security hides all others from it. */
export async function inTransaction<Result>(
  pool: Pool,
  context: PartnerContext | 'shared',
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('begin');
    if (context !== 'shared') {
      await client.query(
        `select set_config('kelpie.partner_id', $1, true), set_config('kelpie.environment', $2, true)`,
        [context.partnerId, context.environment],
      );
    }
    const result = await work({
      async query<Row extends object>(text: string, values: readonly unknown[] = []) {
        return client.query<Row>(text, [...values]);
      },
    });
    await client.query('commit');
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
