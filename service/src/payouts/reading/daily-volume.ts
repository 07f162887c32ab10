import type { Pence } from '../../money/amounts.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { firstIdAt, instantOf } from '../../platform/ids.ts';
import { countByDay, type CountedDay } from '../records/payout-store.ts';

/** A day in London. */
interface DayOfPayouts {
  /** As 2026-11-15. */
  date: string;
  /** Payouts that arrived on it, and what they paid. */
  completed: number;
  paid: Pence;
  /** Payouts that were made on it, and failed or were returned. */
  failed: number;
}

export interface DailyVolume {
  /** The oldest first. Those that are not counted at all are left out: nothing was counted, which is not "none". */
  days: DayOfPayouts[];
  /** Where there are too many to count, payouts that were made before this are not in it, and the first day is not whole. */
  countedSince: Date | null;
}

const days = 30;
const dayMs = 24 * 3_600_000;
/** A payout may arrive some time after it was made; one that took longer is not counted. */
const longestOnItsWayMs = 7 * dayMs;
/** More payouts than this are not counted, so that one who looks costs the same however much is paid: the oldest are left out. */
const maxScanned = 200_000;

const londonDate = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' });

/** The last 30 days, the oldest first, also those without a payout. */
export function lastDays(at: Date): string[] {
  // Noon of a day is on the same date wherever the clocks change.
  const noon = Date.parse(`${londonDate.format(at)}T12:00:00Z`);
  return Array.from({ length: days }, (_, back) => londonDate.format(noon - (days - 1 - back) * dayMs));
}

/** From what was found among the newest `polledAt`: as many as that means that there may be more. */
export function volumeFrom(counted: readonly CountedDay[], at: Date, polledAt: number): DailyVolume {
  const dates = lastDays(at);
  const found = counted.reduce((sum, day) => sum + day.completed + day.failed, 0);
  const [oldestId] = counted.map((day) => day.oldestId).toSorted();
  const since = found < polledAt || oldestId === undefined ? null : instantOf(oldestId);
  const firstDate = since === null ? '' : londonDate.format(since);
  const byDate = new Map(
    counted.map(({ date, completed, paid, failed }) => [date, { date, completed, paid, failed }] as const),
  );
  return {
    days: dates
      .filter((date) => date >= firstDate)
      .map((date) => byDate.get(date) ?? { date, completed: 0, paid: 0n, failed: 0 }),
    // Where it is older than all of them, no day lacks a payout that was made on it.
    countedSince: firstDate < (dates[0] ?? '') ? null : since,
  };
}

export async function readDailyVolume(calls: SingleCalls, of: PartnerContext, at: Date): Promise<DailyVolume> {
  const fromId = firstIdAt(new Date(at.getTime() - days * dayMs - longestOnItsWayMs));
  const counted = await countByDay(calls, of, { fromId, maxScanned });
  return volumeFrom(counted, at, maxScanned);
}
