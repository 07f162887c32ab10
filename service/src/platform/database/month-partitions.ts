import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Pool } from './pool.ts';
import { inTransaction } from './transaction.ts';

/** How many months beyond the current one always stand ready: time enough to mend a job that fails. */
const monthsAhead = 3;

/** A partition whose lock can't be had at once is tried again a little later, so that nobody waits long behind it. */
const lockTries = 20;
const pauseBetweenTriesMs = 250;
const lockNotAvailable = '55P03';

interface MissingRow {
  parent_name: string;
  month_start: Date;
  partition_name: string;
}

async function makeOne(pool: Pool, missing: MissingRow): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(pool, 'shared', async (tx) => {
        const { rows } = await tx.query<{ made: boolean }>('select kelpie.make_month_partition($1, $2) as made', [
          missing.parent_name,
          missing.month_start,
        ]);
        return rows[0]?.made === true;
      });
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable || attempt === lockTries) throw error;
    }
    await wait(pauseBetweenTriesMs);
  }
}

/**
 * Makes the monthly partitions of every table that grows, from the month of `now` on, and names those it made.
 * Safe to repeat. The work is a function of the owner's, since the service's role may not create tables.
 */
export async function makeMonthPartitions(pool: Pool, now: Date): Promise<string[]> {
  const { rows } = await inTransaction(pool, 'shared', async (tx) =>
    tx.query<MissingRow>('select * from kelpie.missing_month_partitions($1, $2)', [now, monthsAhead]),
  );
  const made: string[] = [];
  for (const missing of rows) if (await makeOne(pool, missing)) made.push(missing.partition_name);
  return made;
}
