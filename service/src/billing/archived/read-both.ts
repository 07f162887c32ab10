// Entries of the ledger that have left the database, as lines of the archive: what statements and invoices list beside those that
// are there. The database reads the lines, and takes one that it has as well for the same.
import {
  daysOfMonth,
  whileMonthsStay,
  type Archive,
  type ArchivedEntry,
  type ArchivedMonth,
} from '../../archive/index.ts';
import { firstIdAt } from '../../platform/ids.ts';

export interface Span {
  from: Date;
  before: Date;
}

export type Lines = readonly string[];
type ReadMonth = (month: ArchivedMonth, days: readonly string[]) => AsyncIterable<readonly ArchivedEntry[]>;

export const dayMs = 24 * 3_600_000;

/** The days of a month of UTC that a span reaches into, in order. */
function daysOf({ month }: ArchivedMonth, { from, before }: Span): string[] {
  const first = from.toISOString().slice(0, 10);
  return daysOfMonth(month).filter((day) => day >= first && new Date(day) < before);
}

/** Reads what of a span is in the archive, at most so many lines, and with them what is in the database. */
export async function readBoth<Result>(
  archive: Archive,
  span: Span & { atMost: number },
  { readMonth, readHere }: { readMonth: ReadMonth; readHere: (lines: Lines) => Promise<Result> },
): Promise<Result> {
  if (!archive.mayHold(firstIdAt(span.from))) return readHere([]);
  return whileMonthsStay(archive, async (months) => {
    const lines: string[] = [];
    for (const month of months.toReversed())
      for await (const entries of readMonth(month, daysOf(month, span))) {
        lines.push(...entries.map(({ text }) => text));
        if (lines.length >= span.atMost) return readHere(lines);
      }
    return readHere(lines);
  });
}
