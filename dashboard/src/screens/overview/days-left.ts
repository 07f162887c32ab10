import type { UsageDay, UsageDayList } from '@kelpie/sdk';
import { penceOf } from '../../format/money.ts';

/** Where payouts are too many to count, the first day is cut, and of the few others today is not over: neither says anything of the pace. */
export function wholeDays({ data, counted_since: since }: UsageDayList): UsageDay[] {
  return since === null ? data : data.slice(1, -1);
}

/** How many whole days the wallet lasts at the pace of the days since the first payout among them; undefined without one. */
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
  if (count > longestShown) return 'Lasts over a year at your pace';
  if (count === 0) return 'Lasts less than a day at your pace';
  return `Lasts about ${count} ${count === 1 ? 'day' : 'days'} at your pace`;
}
