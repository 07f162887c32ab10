import type { UsageDay, UsageDayList } from '@kelpie/sdk';
import { penceOf } from '../../format/money.ts';

/** When not all payouts are counted, the first day is cut short and today has not ended. Neither shows the pace. */
export function wholeDays({ data, counted_since: since }: UsageDayList): UsageDay[] {
  return since === null ? data : data.slice(1, -1);
}

/** Whole days that the wallet lasts at the pace since the first payout. Undefined without one. */
export function countDaysLeft(approxGbp: string, days: readonly Pick<UsageDay, 'paid_gbp'>[]): number | undefined {
  const first = days.findIndex((day) => penceOf(day.paid_gbp) > 0n);
  if (first === -1) return undefined;
  const counted = days.slice(first);
  const paid = counted.reduce((sum, day) => sum + penceOf(day.paid_gbp), 0n);
  return Number((penceOf(approxGbp) * BigInt(counted.length)) / paid);
}

const longestShown = 365;

/** The same in words. */
export function daysLeft(approxGbp: string, days: readonly Pick<UsageDay, 'paid_gbp'>[]): string | undefined {
  const count = countDaysLeft(approxGbp, days);
  if (count === undefined) return undefined;
  if (count > longestShown) return 'Enough for over a year at your recent pace';
  if (count === 0) return 'Enough for less than a day at your recent pace';
  return `Enough for about ${count} ${count === 1 ? 'day' : 'days'} at your recent pace`;
}
