import { digestKept } from '../../archive/index.ts';
import type { DifferenceRow } from '../../ledger/index.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction } from '../../platform/database/transaction.ts';
import { createKeyedDigest } from '../../platform/keyed-digest.ts';
import type { LeftMonth, LeftMonths } from './left-months.ts';

/** A month is proved with the key of the closed days, which the database does not have. */
export type MonthMacOf = (month: Omit<LeftMonth, 'mac'>) => string;

export function createMonthMac(key: Buffer): MonthMacOf {
  const digest = createKeyedDigest(key, 'archived months');
  return ({ month, name, manifestDigest, keptDigest }) =>
    digest(JSON.stringify([month, name, manifestDigest, keptDigest])).toString('hex');
}

/**
 * The manifest that the database names is the one that was written with the key, and what stays in the place of the month's
 * entries is what was kept then. Without the key only the second can be said.
 */
export async function judgeMonths(reader: Pool, left: LeftMonths, macOf: MonthMacOf | null): Promise<DifferenceRow[]> {
  const differences: DifferenceRow[] = [];
  for (const month of await left.list()) {
    const found = await inReadOnlyTransaction(reader, 'shared', async (tx) => digestKept(tx, month.month));
    const { month: what, keptDigest } = month;
    if (macOf !== null && month.mac !== macOf(month))
      differences.push({
        kind: 'month in the archive was not archived with the key',
        what,
        expected: 'its own proof',
        found: 'another',
      });
    if (keptDigest !== found)
      differences.push({
        kind: 'sums of a month in the archive changed',
        what,
        expected: keptDigest ?? 'none',
        found,
      });
  }
  // Of one that came back meanwhile nothing is kept.
  const still = differences.length === 0 ? [] : await left.list();
  return differences.filter(({ what }) => still.some(({ month }) => month === what));
}
