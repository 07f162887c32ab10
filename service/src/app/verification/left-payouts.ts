// Payouts of months that have left the database, for verification: a day of them, or those for which something was posted later.
import {
  ArchiveUnreadable,
  blocksBetween,
  listMonthRecords,
  openMonthFile,
  parseLine,
  type ArchivedLine,
  type ArchiveStore,
  type MonthFile,
} from '../../archive/index.ts';
import { readOneSnapshot, type Day, type IdSpan } from '../../ledger/index.ts';
import { listEarlierPayouts, type LeftPayouts } from '../../payouts/index.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, type PartnerContext } from '../../platform/database/transaction.ts';
import { firstIdAt, instantOf } from '../../platform/ids.ts';

/** A month of which the database has no payouts. */
export interface LeftMonth {
  month: string;
  name: string;
  manifestDigest: string;
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
      return records.flatMap(({ month, name, manifestDigest, mac, isHere }) =>
        isHere || manifestDigest === null ? [] : [{ month, name, manifestDigest, mac }],
      );
    },
    open:
      store === null
        ? null
        : async (month) => {
            opened = opened?.name === month.name ? opened : { name: month.name, file: openMonthFile(store, month) };
            return opened.file;
          },
  };
}

export function sameMonths(one: readonly LeftMonth[], other: readonly LeftMonth[]): boolean {
  return one.map(({ name }) => name).join() === other.map(({ name }) => name).join();
}

/** All lines of a day, by id. */
export async function readDayLines(file: MonthFile, day: Day): Promise<ArchivedLine[]> {
  const lines: ArchivedLine[] = [];
  for (const block of blocksBetween(file.payouts, `${day}/`, `${day}/~`))
    for (const text of await file.payouts.readBlock(block)) {
      const line = parseLine(text);
      if (instantOf(line.id).toISOString().startsWith(day)) lines.push(line);
    }
  return lines.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function findLine(
  { open }: LeftMonths,
  month: LeftMonth,
  { id, partnerId, environment }: PartnerContext & { id: string },
): Promise<ArchivedLine | null> {
  if (open === null) return null;
  const { payouts } = await open(month);
  const key = `${instantOf(id).toISOString().slice(0, 10)}/${partnerId}/${environment}/${id}`;
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
