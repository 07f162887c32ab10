import type { DifferenceRow } from '../../ledger/index.ts';
import { createKeyedDigest } from '../../platform/keyed-digest.ts';
import type { LeftMonth } from './left-payouts.ts';

/** Nobody proves a month without the key of the closed days, and the database does not have it. */
export type MonthMacOf = (month: Omit<LeftMonth, 'mac'>) => string;

export function createMonthMac(key: Buffer): MonthMacOf {
  const digest = createKeyedDigest(key, 'archived months');
  return ({ month, name, manifestDigest }) => digest(JSON.stringify([month, name, manifestDigest])).toString('hex');
}

/** The manifest that the database names is the one that was written with the key. */
export function judgeMonths(months: readonly LeftMonth[], macOf: MonthMacOf): DifferenceRow[] {
  return months
    .filter((month) => month.mac !== macOf(month))
    .map(({ month }) => ({
      kind: 'month in the archive was not archived with the key',
      what: month,
      expected: 'its own proof',
      found: 'another',
    }));
}
