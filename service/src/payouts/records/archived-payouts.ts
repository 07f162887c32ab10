import { transfersOf, type Archive, type ArchivedLine, type ArchivedMonth } from '../../archive/index.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { firstIdAt, instantOf } from '../../platform/ids.ts';

/** What a month is called, as 2025-01. */
function monthOf(id: string): string {
  return instantOf(id).toISOString().slice(0, 7);
}

/**
 * A payout, from the database where it is there, and otherwise from the archive. A month leaves the database only once its
 * files are whole, and the files are of no use only once it is back: so who finds it in neither looks once more.
 */
export async function findHereOrArchived<Found>(
  archive: Archive,
  { id, ...of }: PartnerContext & { id: string },
  {
    findHere,
    read,
  }: { findHere: () => Promise<Found | null>; read: (line: ArchivedLine, month: ArchivedMonth) => Promise<Found> },
): Promise<Found | null> {
  const here = await findHere();
  if (here !== null || !archive.mayHold(id)) return here;
  const name = monthOf(id);
  const month = (await archive.months()).find((one) => one.month === name);
  if (month === undefined) return findHere();
  const line = await archive.find(month, { ...of, id });
  return line === null ? null : read(line, month);
}

/** The entries that left with a payout, as lines of the archive. One that stayed has its own in the database. */
export async function readArchivedEntries(
  archive: Archive,
  line: ArchivedLine,
  month: ArchivedMonth,
): Promise<string[]> {
  const texts: string[] = [];
  for (const id of transfersOf(line))
    if (monthOf(id) === month.month)
      texts.push(...(await archive.findTransfer(month, line, id)).map(({ text }) => text));
  return texts;
}

/** A part of a list, from `from` to before `before`: of a month in the archive, or of what is in the database. */
export interface Stretch {
  month: ArchivedMonth | null;
  from: string;
  before: string;
}

/** A range of ids in parts, the newest first. */
export function stretchesOf(
  months: readonly ArchivedMonth[],
  { from, before }: { from: string; before: string },
): Stretch[] {
  const stretches: Stretch[] = [];
  let end = before;
  for (const month of months.toSorted((a, b) => (a.month < b.month ? 1 : -1))) {
    const start = new Date(`${month.month}-01T00:00:00Z`);
    const next = new Date(start);
    next.setUTCMonth(next.getUTCMonth() + 1);
    const [first, after] = [firstIdAt(start), firstIdAt(next)];
    if (after <= from || first >= end) continue;
    if (after < end) stretches.push({ month: null, from: after, before: end });
    stretches.push({ month, from: first > from ? first : from, before: after < end ? after : end });
    end = first;
  }
  if (end > from) stretches.push({ month: null, from, before: end });
  return stretches;
}

/** The days of a part of a month, the newest first. */
export function daysOf({ from, before }: Stretch): string[] {
  const days: string[] = [];
  const first = instantOf(from).toISOString().slice(0, 10);
  // The last instant before the end.
  const day = new Date(instantOf(before).getTime() - 1);
  for (day.setUTCHours(0, 0, 0, 0); day.toISOString().slice(0, 10) >= first; day.setUTCDate(day.getUTCDate() - 1))
    days.push(day.toISOString().slice(0, 10));
  return days;
}
