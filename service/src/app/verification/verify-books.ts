// What verification is made of: the ledger, and whatever causes its entries, each held against the other. A span of time is
// read in one snapshot; days that are closed are read again from time to time, and compared with what they held.
import { ArchiveUnreadable, type MonthFile } from '../../archive/index.ts';
import { verifyCharges, verifyInvoices, verifyOutstanding, verifyPayments } from '../../billing/index.ts';
import { verifyDebts, verifyDeposits, verifyFloats, verifyKeptSums } from '../../funding/index.ts';
import {
  digestEntries,
  everything,
  readOneSnapshot,
  spanFrom,
  spanOfDay,
  verifyLedger,
  type ClosedDay,
  type Day,
  type DifferenceRow,
  type IdSpan,
  type RowsDigest,
  type Verification,
} from '../../ledger/index.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { lastId } from '../../platform/ids.ts';
import {
  digestArchivedOrders,
  digestOrders,
  listEarlierPayouts,
  verifyPayouts,
  type LeftPayouts,
} from '../../payouts/index.ts';
import { findLeftPayouts, readDayLines, sameMonths, type LeftMonth, type LeftMonths } from './left-payouts.ts';
import { verifyCorrections } from '../../reconciliation/index.ts';

/** Enough of each kind to see what kind of trouble it is. */
const mostDifferences = 100;
const mostTries = 3;

async function verifySpan(tx: Transaction, span: IdSpan, payouts: LeftPayouts | null): Promise<Verification> {
  const { differences, ...counts } = await verifyLedger(tx, span);
  if (payouts !== null) differences.push(...(await verifyPayouts(tx, span, mostDifferences, payouts)));
  for (const verifyCauses of [
    verifyDeposits,
    verifyDebts,
    verifyFloats,
    verifyCorrections,
    verifyCharges,
    verifyPayments,
  ])
    differences.push(...(await verifyCauses(tx, span, mostDifferences)));
  return { ...counts, differences };
}

/** Once more, where a month left the database or came back meanwhile and so something was missed. */
async function whileMonthsStay<Result extends Pick<Verification, 'differences'>>(
  left: LeftMonths,
  verify: (months: readonly LeftMonth[]) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const months = await left.list();
    const result = await verify(months);
    if (result.differences.length === 0 || tries === mostTries || sameMonths(months, await left.list())) return result;
  }
}

/** What is not closed yet, in one snapshot, because payouts continue meanwhile. */
export async function verifyOpenDays(pool: Pool, from: Day | null, left: LeftMonths): Promise<Verification> {
  const span = from === null ? everything : spanFrom(from);
  return orUnreadable('open days', async () =>
    whileMonthsStay(left, async (months) => {
      const payouts = await findLeftPayouts(pool, left, months, span);
      return inReadOnlyTransaction(pool, 'shared', async (tx) => verifySpan(tx, span, payouts));
    }),
  );
}

/** What cannot be read, or was changed, is a difference like any other. */
async function orUnreadable(what: string, verify: () => Promise<Verification>): Promise<Verification> {
  try {
    return await verify();
  } catch (error) {
    if (!(error instanceof ArchiveUnreadable)) throw error;
    const difference = { kind: 'archive is not what was written', what, expected: 'readable', found: error.message };
    return { entries: 0, transfers: 0, wallets: 0, differences: [difference] };
  }
}

export interface VerifiedDay extends Verification {
  held: Pick<ClosedDay, 'entries' | 'orders'>;
}

/** One whole day, with the digests of what it holds. */
export async function verifyDay(pool: Pool, day: Day, left: LeftMonths): Promise<VerifiedDay> {
  return whileMonthsStay(left, async (months) => verifyDayWith(pool, day, left, months));
}

async function verifyDayWith(
  pool: Pool,
  day: Day,
  left: LeftMonths,
  months: readonly LeftMonth[],
): Promise<VerifiedDay> {
  const span = spanOfDay(day);
  const month = months.find((one) => day.startsWith(one.month));
  if (month !== undefined) {
    if (left.open === null) throw new ArchiveUnreadable('KELPIE_ARCHIVE is not set');
    return verifyLeftDay(pool, day, await left.open(month), await findLeftPayouts(pool, left, months, span));
  }
  const payouts = await findLeftPayouts(pool, left, months, span);
  return inReadOnlyTransaction(pool, 'shared', async (tx) => {
    const verification = await verifySpan(tx, span, payouts);
    return { ...verification, held: { entries: await digestEntries(tx, span), orders: await digestOrders(tx, span) } };
  });
}

/** Few enough that what is looked up among them costs little. */
const payoutsAtOnce = 500;

/** The same of a day whose payouts are in a file: its lines are held against the ledger, some hundred at a time. */
async function verifyLeftDay(pool: Pool, day: Day, file: MonthFile, earlier: LeftPayouts): Promise<VerifiedDay> {
  const span = spanOfDay(day);
  const lines = await readDayLines(file, day);
  const { held, ...verification } = await inReadOnlyTransaction(pool, 'shared', async (tx) => ({
    ...(await verifySpan(tx, span, null)),
    held: { entries: await digestEntries(tx, span), orders: await digestArchivedOrders(tx, lines) },
  }));
  for (let first = 0; first === 0 || first < lines.length; first += payoutsAtOnce) {
    const some = lines.slice(first, first + payoutsAtOnce);
    const part = {
      first: first === 0 ? span.first : (some[0]?.id ?? span.first),
      before: lines[first + payoutsAtOnce]?.id ?? span.before,
    };
    const ofPart = await inReadOnlyTransaction(pool, 'shared', async (tx) => {
      await readOneSnapshot(tx);
      const others = new Set((await listEarlierPayouts(tx, part, lastId)).map(({ id }) => id));
      const before = [...earlier.lines, ...lines].filter(({ id }) => others.has(id));
      return verifyPayouts(tx, part, mostDifferences, { lines: [...before, ...some], unread: earlier.unread });
    });
    verification.differences.push(...ofPart);
  }
  return { ...verification, held };
}

function shown({ rows, digest }: RowsDigest): string {
  return `${rows} with digest ${digest.slice(0, 16)}`;
}

function compareDigest(day: Day, what: string, expected: RowsDigest, found: RowsDigest): DifferenceRow[] {
  if (expected.rows === found.rows && expected.digest === found.digest) return [];
  return [{ kind: `${what} of a closed day changed`, what: day, expected: shown(expected), found: shown(found) }];
}

/** A day that was closed, once more: it must hold what it held. */
export async function verifyClosedDay(
  pool: Pool,
  { day, entries, orders }: ClosedDay,
  left: LeftMonths,
): Promise<Verification> {
  return orUnreadable(day, async () => {
    const { held, differences, ...counts } = await verifyDay(pool, day, left);
    const changed = [
      ...compareDigest(day, 'entries', entries, held.entries),
      ...compareDigest(day, 'payouts', orders, held.orders),
    ];
    return { ...counts, differences: [...changed, ...differences] };
  });
}

/** The invoices of the months of a span; of all of them, also what is left to pay and what is owed. */
export async function verifyInvoicesOf(
  pool: Pool,
  span: IdSpan,
): Promise<{ invoices: number; differences: DifferenceRow[] }> {
  return inReadOnlyTransaction(pool, 'shared', async (tx) => {
    const { invoices, differences } = await verifyInvoices(tx, span);
    const outstanding = span === everything ? await verifyOutstanding(tx, mostDifferences) : [];
    return { invoices, differences: [...differences, ...outstanding] };
  });
}

/** What is kept beside the ledger, so that no job adds up the whole ledger. This does. */
export async function verifySums(pool: Pool): Promise<DifferenceRow[]> {
  return inReadOnlyTransaction(pool, 'shared', async (tx) => verifyKeptSums(tx, mostDifferences));
}
