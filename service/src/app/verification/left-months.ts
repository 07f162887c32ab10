// Months that have left the database, for verification: a day of one, or those of their payouts for which something was posted later.
import {
  ArchiveUnreadable,
  blocksBetween,
  keyOf,
  listMonthRecords,
  openMonthFile,
  parseEntry,
  parseLine,
  type ArchivedLine,
  type ArchiveStore,
  type MonthFile,
  type MonthPart,
} from '../../archive/index.ts';
import { readOneSnapshot, spanOfDay, splitSpan, type Day, type IdSpan } from '../../ledger/index.ts';
import { listEarlierPayouts, type LeftPayouts } from '../../payouts/index.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, type PartnerContext } from '../../platform/database/transaction.ts';
import { firstIdAt, instantOf } from '../../platform/ids.ts';

/** A month of which the database has no payouts, and of its entries only some. */
export interface LeftMonth {
  month: string;
  name: string;
  manifestDigest: string;
  keptDigest: string | null;
  mac: string | null;
}

export interface LeftMonths {
  /** As they are now. */
  list(): Promise<readonly LeftMonth[]>;
  /** Null where this process was not told where the files are. */
  open: ((month: LeftMonth) => Promise<MonthFile>) | null;
}

/** As the reading role. */
export function createLeftMonths(pool: Pool, store: ArchiveStore | null): LeftMonths {
  // Of the last month that was read: a run reads them in order.
  let opened: { name: string; file: Promise<MonthFile> } | null = null;
  return {
    async list() {
      const records = await inReadOnlyTransaction(pool, 'shared', listMonthRecords);
      return records.flatMap(({ month, name, manifestDigest, keptDigest, mac, isHere }) =>
        isHere || manifestDigest === null ? [] : [{ month, name, manifestDigest, keptDigest, mac }],
      );
    },
    open:
      store === null
        ? null
        : async (month) => {
            opened = opened?.name === month.name ? opened : { name: month.name, file: openMonthFile(store, month) };
            try {
              return await opened.file;
            } catch (error) {
              // What cannot be read now may be there again in a moment.
              opened = null;
              throw error;
            }
          },
  };
}

export function sameMonths(one: readonly LeftMonth[], other: readonly LeftMonth[]): boolean {
  return one.map(({ name }) => name).join() === other.map(({ name }) => name).join();
}

async function* readDay(part: MonthPart, day: Day): AsyncGenerator<string> {
  for (const block of blocksBetween(part, `${day}/`, `${day}/~`))
    for (const text of await part.readBlock(block)) if (part.keyOf(text).startsWith(`${day}/`)) yield text;
}

/** All payouts of a day, by id. */
export async function readDayPayouts({ payouts }: MonthFile, day: Day): Promise<ArchivedLine[]> {
  const lines: ArchivedLine[] = [];
  for await (const text of readDay(payouts, day)) lines.push(parseLine(text));
  return lines.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Few enough to hold: an entry is some hundred bytes. */
const entriesAtOnce = 200_000;

/** How many entries of a day have left, at most. */
function mostEntriesOf({ entries }: MonthFile, day: Day): number {
  return blocksBetween(entries, `${day}/`, `${day}/~`).reduce((sum, { lines }) => sum + lines, 0);
}

/**
 * The entries of a day that have left, by transfer, with the span that they are of: some at a time. The file has them by partner, so
 * a day of many is read once for each span.
 */
export async function* readDayEntries(
  file: MonthFile,
  day: Day,
): AsyncGenerator<{ span: IdSpan; entries: { id: string; text: string; isFirstLine: boolean }[] }> {
  const count = Math.max(1, Math.ceil(mostEntriesOf(file, day) / entriesAtOnce));
  for (const span of splitSpan(spanOfDay(day), count)) {
    const entries = [];
    for await (const text of readDay(file.entries, day)) {
      const { transferId: id, line } = parseEntry(text);
      if (id >= span.first && id < span.before) entries.push({ id, text, isFirstLine: line === 1 });
    }
    yield { span, entries: entries.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
  }
}

async function findLine(
  { open }: LeftMonths,
  month: LeftMonth,
  payout: PartnerContext & { id: string },
): Promise<ArchivedLine | null> {
  if (open === null) return null;
  const { payouts } = await open(month);
  const { id } = payout;
  const key = keyOf(payout);
  for (const block of blocksBetween(payouts, key, key)) {
    const text = (await payouts.readBlock(block)).find((one) => one.includes(id) && parseLine(one).id === id);
    if (text !== undefined) return parseLine(text);
  }
  throw new ArchiveUnreadable('a payout of the ledger is not in its month');
}

/** Payouts of months that have left, for which something was posted in a span that came later. */
export async function findLeftPayouts(
  pool: Pool,
  left: LeftMonths,
  months: readonly LeftMonth[],
  span: IdSpan,
): Promise<LeftPayouts> {
  const newest = months
    .map(({ month }) => month)
    .toSorted()
    .at(-1);
  if (newest === undefined) return { lines: [], unread: [] };
  const end = new Date(`${newest}-01T00:00:00Z`);
  end.setUTCMonth(end.getUTCMonth() + 1);
  const earlier = await inReadOnlyTransaction(pool, 'shared', async (tx) => {
    await readOneSnapshot(tx);
    return listEarlierPayouts(tx, span, firstIdAt(end));
  });
  const lines: ArchivedLine[] = [];
  const unread: string[] = [];
  for (const payout of earlier) {
    const name = instantOf(payout.id).toISOString().slice(0, 7);
    const month = months.find((one) => one.month === name);
    if (month === undefined) continue;
    const line = await findLine(left, month, payout);
    if (line === null) unread.push(payout.id);
    else lines.push(line);
  }
  return { lines, unread };
}
