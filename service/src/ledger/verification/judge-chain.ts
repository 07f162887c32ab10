import { dayAfter, noMac, type ClosedDay, type Day, type MacOf } from './closed-days.ts';
import type { DifferenceRow } from './store.ts';

/** A closed day as it is kept outside the database. */
export interface DayAnchor {
  day: Day;
  mac: string;
}

const anchorForm = /^(\d{4}-\d{2}-\d{2}):([0-9a-f]{64})$/;

export function parseDayAnchor(line: string): DayAnchor | undefined {
  const [, day, mac] = anchorForm.exec(line) ?? [];
  return day === undefined || mac === undefined ? undefined : { day, mac };
}

export function formatDayAnchor({ day, mac }: DayAnchor): string {
  return `${day}:${mac}`;
}

function judgePlace(closed: ClosedDay, before: ClosedDay | undefined): DifferenceRow[] {
  const { day, previousMac } = closed;
  const differences: DifferenceRow[] = [];
  if (before !== undefined && dayAfter(before.day) !== day)
    differences.push({ kind: 'closed day is missing', what: dayAfter(before.day), expected: 'closed', found: day });
  const expected = before?.mac ?? noMac;
  if (previousMac !== expected)
    differences.push({ kind: 'closed day is not chained to the one before', what: day, expected, found: previousMac });
  return differences;
}

/** Whether the days are those that were closed: each by our key, after the one before, and as its anchor outside says. */
export function judgeChain(days: readonly ClosedDay[], macOf: MacOf, anchors: readonly DayAnchor[]): DifferenceRow[] {
  const macs = new Map(days.map(({ day, mac }) => [day, mac]));
  const ofAnchors = anchors
    .filter(({ day, mac }) => macs.get(day) !== mac)
    .map(({ day, mac }) => ({
      kind: 'closed day is not what was anchored',
      what: day,
      expected: mac,
      found: macs.get(day) ?? 'none',
    }));
  const ofDays = days.flatMap((closed, at) => {
    const expected = macOf(closed);
    const changed = { kind: 'closed day was changed, or not closed by our key', what: closed.day, expected };
    return [
      ...judgePlace(closed, days[at - 1]),
      ...(closed.mac === expected ? [] : [{ ...changed, found: closed.mac }]),
    ];
  });
  return [...ofAnchors, ...ofDays];
}
