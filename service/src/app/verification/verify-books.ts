// What verification is made of: the ledger, and whatever causes its entries, each held against the other. A span of time is
// read in one snapshot; days that are closed are read again from time to time, and compared with what they held.
import { verifyCharges, verifyInvoices, verifyOutstanding, verifyPayments } from '../../billing/index.ts';
import { verifyDebts, verifyDeposits, verifyFloats, verifyKeptSums } from '../../funding/index.ts';
import {
  digestEntries,
  everything,
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
import { digestOrders, verifyPayouts } from '../../payouts/index.ts';
import { verifyCorrections } from '../../reconciliation/index.ts';

/** Enough of each kind to see what kind of trouble it is. */
const mostDifferences = 100;

async function verifySpan(tx: Transaction, span: IdSpan): Promise<Verification> {
  const { differences, ...counts } = await verifyLedger(tx, span);
  for (const verifyCauses of [
    verifyPayouts,
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

/** What is not closed yet, in one snapshot, because payouts continue meanwhile. */
export async function verifyOpenDays(pool: Pool, from: Day | null): Promise<Verification> {
  const span = from === null ? everything : spanFrom(from);
  return inReadOnlyTransaction(pool, 'shared', async (tx) => verifySpan(tx, span));
}

export interface VerifiedDay extends Verification {
  held: Pick<ClosedDay, 'entries' | 'orders'>;
}

/** One whole day, with the digests of what it holds. */
export async function verifyDay(pool: Pool, day: Day): Promise<VerifiedDay> {
  const span = spanOfDay(day);
  return inReadOnlyTransaction(pool, 'shared', async (tx) => {
    const verification = await verifySpan(tx, span);
    return { ...verification, held: { entries: await digestEntries(tx, span), orders: await digestOrders(tx, span) } };
  });
}

function shown({ rows, digest }: RowsDigest): string {
  return `${rows} with digest ${digest.slice(0, 16)}`;
}

function compareDigest(day: Day, what: string, expected: RowsDigest, found: RowsDigest): DifferenceRow[] {
  if (expected.rows === found.rows && expected.digest === found.digest) return [];
  return [{ kind: `${what} of a closed day changed`, what: day, expected: shown(expected), found: shown(found) }];
}

/** A day that was closed, once more: it must hold what it held. */
export async function verifyClosedDay(pool: Pool, { day, entries, orders }: ClosedDay): Promise<Verification> {
  const { held, differences, ...counts } = await verifyDay(pool, day);
  const changed = [
    ...compareDigest(day, 'entries', entries, held.entries),
    ...compareDigest(day, 'payouts', orders, held.orders),
  ];
  return { ...counts, differences: [...changed, ...differences] };
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
