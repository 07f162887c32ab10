// What verification is made of: the ledger, and whatever causes its entries, each held against the other. A span of time is
// read in one snapshot; days that are closed are read again from time to time, and compared with what they held.
import { ArchiveUnreadable, type MonthFile } from '../../archive/index.ts';
import { verifyCharges, verifyInvoices, verifyOutstanding, verifyPayments } from '../../billing/index.ts';
import { verifyDebts, verifyDeposits, verifyFloats, verifyKeptSums } from '../../funding/index.ts';
import {
  countEntries,
  digestArchivedEntries,
  digestEntries,
  digestOfMinutes,
  everything,
  readOneSnapshot,
  spanFrom,
  spanOfDay,
  verifyLedger,
  type ClosedDay,
  type Day,
  type DifferenceRow,
  type IdSpan,
  type MinuteDigest,
  type RowsDigest,
  type Verification,
} from '../../ledger/index.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction, type Transaction } from '../../platform/database/transaction.ts';
import {
  digestArchivedOrders,
  digestOrders,
  verifyArchivedKeys,
  verifyPayouts,
  type LeftPayouts,
} from '../../payouts/index.ts';
import {
  findLeftPayouts,
  readDayEntries,
  readDayPayouts,
  sameMonths,
  type LeftMonth,
  type LeftMonths,
} from './left-months.ts';
import { verifyCorrections } from '../../reconciliation/index.ts';

/** Enough of each kind to see what kind of trouble it is. */
const mostDifferences = 100;
const mostTries = 3;

async function verifySpan(tx: Transaction, span: IdSpan, payouts: LeftPayouts): Promise<Verification> {
  const { differences, ...counts } = await verifyLedger(tx, span);
  const ofPayouts = await verifyPayouts(tx, span, mostDifferences, payouts);
  return { ...counts, differences: [...differences, ...ofPayouts, ...(await verifyOthers(tx, span))] };
}

/** Everything but payouts that causes entries. None of these leaves the database. */
async function verifyOthers(tx: Transaction, span: IdSpan): Promise<DifferenceRow[]> {
  const differences: DifferenceRow[] = [];
  for (const verifyCauses of [
    verifyDeposits,
    verifyDebts,
    verifyFloats,
    verifyCorrections,
    verifyCharges,
    verifyPayments,
  ])
    differences.push(...(await verifyCauses(tx, span, mostDifferences)));
  return differences;
}

/** Once more, where a month left the database or came back meanwhile and so something was missed. */
async function verifyWhileMonthsStay<Result extends Pick<Verification, 'differences'>>(
  left: LeftMonths,
  verify: (months: readonly LeftMonth[]) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const months = await left.list();
    try {
      const result = await verify(months);
      if (tries === mostTries || sameMonths(months, await left.list())) return result;
    } catch (error) {
      // The files of a month are removed once it is back.
      if (!(error instanceof ArchiveUnreadable) || tries === mostTries || sameMonths(months, await left.list()))
        throw error;
    }
  }
}

/** What is not closed yet, in one snapshot, because payouts continue meanwhile. */
export async function verifyOpenDays(pool: Pool, from: Day | null, left: LeftMonths): Promise<Verification> {
  const span = from === null ? everything : spanFrom(from);
  return orUnreadable('open days', async () =>
    verifyWhileMonthsStay(left, async (months) => {
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
  return verifyWhileMonthsStay(left, async (months) => verifyDayWith(pool, day, left, months));
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
    return verifyLeftDay(pool, day, await left.open(month));
  }
  const payouts = await findLeftPayouts(pool, left, months, span);
  return inReadOnlyTransaction(pool, 'shared', async (tx) => {
    const verification = await verifySpan(tx, span, payouts);
    return { ...verification, held: { entries: await digestEntries(tx, span), orders: await digestOrders(tx, span) } };
  });
}

/** Few enough that what is looked up among them costs little. */
const payoutsAtOnce = 500;

/**
 * The same of a day whose payouts and entries are in files. It was verified as a whole when it was closed, and once more before it
 * left: since then it is right as long as it holds what it held. What did not leave is held against its causes, and so are keys.
 */
async function verifyLeftDay(pool: Pool, day: Day, file: MonthFile): Promise<VerifiedDay> {
  const span = spanOfDay(day);
  const payouts = await readDayPayouts(file, day);
  const { differences, ...counts } = await inReadOnlyTransaction(pool, 'shared', async (tx) => {
    await readOneSnapshot(tx);
    return { ...(await countEntries(tx, span)), differences: await verifyOthers(tx, span) };
  });
  const minutes: MinuteDigest[] = [];
  for await (const { span: stretch, entries } of readDayEntries(file, day)) {
    counts.entries += entries.length;
    counts.transfers += entries.filter(({ isFirstLine }) => isFirstLine).length;
    const ofStretch = await inReadOnlyTransaction(pool, 'shared', async (tx) => {
      await readOneSnapshot(tx);
      return digestArchivedEntries(tx, stretch, entries);
    });
    minutes.push(...ofStretch);
  }
  for (let first = 0; first < payouts.length; first += payoutsAtOnce)
    differences.push(
      ...(await inReadOnlyTransaction(pool, 'shared', async (tx) =>
        verifyArchivedKeys(tx, span, mostDifferences, payouts.slice(first, first + payoutsAtOnce)),
      )),
    );
  const orders = await inReadOnlyTransaction(pool, 'shared', async (tx) => digestArchivedOrders(tx, payouts));
  return { ...counts, differences, held: { entries: digestOfMinutes(minutes), orders } };
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
