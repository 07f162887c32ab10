import type { Transaction } from './transaction.ts';

/** How many months beyond the current one always stand ready: time enough to mend a job that fails. */
const monthsAhead = 3;

/**
 * Makes the monthly partitions of every table that grows, from the month of `now` on, and names those it made.
 * Safe to repeat. The work is a function of the owner's, since the service's role may not create tables.
 */
export async function makeMonthPartitions(tx: Transaction, now: Date): Promise<string[]> {
  const { rows } = await tx.query<{ partition: string }>(
    'select partition from kelpie.make_month_partitions($1, $2) as partition',
    [now, monthsAhead],
  );
  return rows.map((row) => row.partition);
}
