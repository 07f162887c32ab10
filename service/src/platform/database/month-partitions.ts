import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { Pool } from './pool.ts';
import { inReadOnlyTransaction, inTransaction } from './transaction.ts';

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

/** In a transaction of its own. Says whether there was anything to do. */
async function doOne(pool: Pool, call: string, values: readonly unknown[]): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(pool, 'shared', async (tx) => {
        const { rows } = await tx.query<{ done: boolean }>(`select ${call} as done`, values);
        return rows[0]?.done === true;
      });
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable || attempt === lockTries) throw error;
    }
    await wait(pauseBetweenTriesMs);
  }
}

/** Partitions that some table lacks, for the month of `now` and the next ones. */
export async function listMissingPartitions(pool: Pool, now: Date, months: number): Promise<MissingRow[]> {
  const { rows } = await inReadOnlyTransaction(pool, 'shared', async (tx) =>
    tx.query<MissingRow>('select * from kelpie.missing_month_partitions($1, $2)', [now, months]),
  );
  return rows;
}

/**
 * Makes the monthly partitions of every table that grows, from the month of `now` on, and names those it made.
 * Safe to repeat. The work is a function of the owner's, since the service's role may not create tables.
 */
export async function makeMonthPartitions(pool: Pool, now: Date): Promise<string[]> {
  const missing = await listMissingPartitions(pool, now, monthsAhead);
  const made: string[] = [];
  for (const { parent_name: parent, month_start: month, partition_name: name } of missing)
    if (await doOne(pool, 'kelpie.make_month_partition($1, $2)', [parent, month])) made.push(name);
  return made;
}

/** A run that finds more leaves them to the next: after years without one there are hundreds. */
const mostDropped = 24;

/** Drops the months that are past the retention of their table, oldest first, and names them. Safe to repeat. */
export async function dropExpiredPartitions(pool: Pool, now: Date): Promise<string[]> {
  const { rows } = await inTransaction(pool, 'shared', async (tx) =>
    tx.query<{ partition_name: string }>('select partition_name from kelpie.expired_month_partitions($1) limit $2', [
      now,
      mostDropped,
    ]),
  );
  const dropped: string[] = [];
  for (const { partition_name: name } of rows)
    if (await doOne(pool, 'kelpie.drop_month_partition($1, $2)', [name, now])) dropped.push(name);
  return dropped;
}
