import { lastId } from '../../platform/ids.ts';
import { createKeyedDigest } from '../../platform/keyed-digest.ts';
import { spanBetween, type IdSpan } from './id-span.ts';
import type { RowsDigest } from './digest-rows.ts';

/** A UTC day, as 2026-11-17. */
export type Day = string;

/** What a day held when it was closed, chained to the day that was closed before it. */
export interface ClosedDay {
  day: Day;
  entries: RowsDigest;
  orders: RowsDigest;
  previousMac: string;
  mac: string;
}

const dayMs = 24 * 60 * 60_000;
/** A transfer gets its id before its commit. This is far longer than any commit takes, and than clocks differ. */
const closesAfterMs = 2 * 60 * 60_000;

function dayOf(instant: Date): Day {
  return instant.toISOString().slice(0, 10);
}

function startOf(day: Day): Date {
  return new Date(`${day}T00:00:00Z`);
}

export function dayAfter(day: Day): Day {
  return dayOf(new Date(startOf(day).getTime() + dayMs));
}

export function spanOfDay(day: Day): IdSpan {
  return spanBetween(startOf(day), startOf(dayAfter(day)));
}

/** From a day on, without an end. */
export function spanFrom(day: Day): IdSpan {
  return { ...spanOfDay(day), before: lastId };
}

/** The day that is still open, which is the first that can't be closed yet. */
export function openDayAt(now: Date): Day {
  return dayOf(new Date(now.getTime() - closesAfterMs));
}

/** What stands before the first day. */
export const noMac = '0'.repeat(64);

/** Nobody chains a day without the key, and the database does not have it. */
export type MacOf = (day: Omit<ClosedDay, 'mac'>) => string;

export function createDayChain(key: Buffer): MacOf {
  const digest = createKeyedDigest(key, 'closed days');
  return ({ day, entries, orders, previousMac }) =>
    digest(JSON.stringify([day, entries.rows, entries.digest, orders.rows, orders.digest, previousMac])).toString(
      'hex',
    );
}
