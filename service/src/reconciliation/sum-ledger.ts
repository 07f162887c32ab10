import type { MicroUsdc } from '../money/amounts.ts';
import { inReadOnlyTransaction, inTransaction } from '../platform/database/transaction.ts';
import { instantOf } from '../platform/ids.ts';
import type { Comparing } from './deps.ts';
import { findFirstTransfer } from './store.ts';
import {
  findKeptSum,
  keepSum,
  nameLeftMonths,
  sumNewest,
  sumOfCauses,
  sumSlice,
  type KeptSum,
  type Slice,
  type SliceSum,
} from './sums/store.ts';

const dayMs = 24 * 60 * 60_000;
const epoch = new Date(0);

/** What our books say that the bank keeps. */
export interface LedgerSum {
  total: MicroUsdc;
  /** Without what the bank's own lines are counted for. */
  others: MicroUsdc;
}

interface Replaced {
  /** Payouts and deposits whose lines at the bank are counted in place of their entries. */
  causes: readonly string[];
  /** All payouts since then are, too. Null for none. */
  payoutsFrom: Date | null;
}

/** The beginning of the month in UTC, one day late: by then all that was posted in the month before it is there. */
function settledMonth(now: Date): Date {
  const at = new Date(now.getTime() - dayMs);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
}

/** A statement per day of causes: each is short, whatever a partner pays in a month. */
function* sliceByDays(posted: Slice['posted'], from: Date, before: Date | null, now: Date): Generator<Slice> {
  const end = before ?? now;
  let at = Math.min(from.getTime(), end.getTime());
  yield { posted, causes: { from: null, before: new Date(at) } };
  for (; at + dayMs < end.getTime(); at += dayMs)
    yield { posted, causes: { from: new Date(at), before: new Date(at + dayMs) } };
  yield { posted, causes: { from: new Date(at), before } };
}

async function sumSlices(
  { pool, partnerEnvironment, signal }: Comparing,
  slices: Iterable<Slice>,
  causes: readonly string[],
): Promise<SliceSum> {
  const sum = { total: 0n, replaced: 0n };
  for (const slice of slices) {
    signal?.throwIfAborted();
    const { from, before } = slice.causes;
    const within = causes.filter((id) => {
      const at = instantOf(id);
      return (from === null || at >= from) && (before === null || at < before);
    });
    const one = await inReadOnlyTransaction(pool, partnerEnvironment, async (tx) =>
      sumSlice(tx, partnerEnvironment, slice, within),
    );
    sum.total += one.total;
    sum.replaced += one.replaced;
  }
  return sum;
}

async function findFirst({ pool, partnerEnvironment, clock }: Comparing): Promise<Date> {
  const first = await inReadOnlyTransaction(pool, partnerEnvironment, async (tx) =>
    findFirstTransfer(tx, partnerEnvironment),
  );
  return first ?? clock.now();
}

const mostTries = 3;

/**
 * What was posted in months that are over, kept from run to run. With `--everything` it is summed anew. It is summed in many
 * statements: where a month left the database or came back between them, once more.
 */
async function sumSettledMonths(comparing: Comparing, first: Date): Promise<KeptSum> {
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const sum = await trySettledMonths(comparing, first);
    if (sum !== null) return sum;
  }
  throw new Error('months move to or from the archive while the ledger is summed');
}

/** Null where a month moved meanwhile. */
async function trySettledMonths(comparing: Comparing, first: Date): Promise<KeptSum | null> {
  const { pool, partnerEnvironment, clock, isDryRun, everything } = comparing;
  const left = await inReadOnlyTransaction(pool, partnerEnvironment, nameLeftMonths);
  const kept = await inReadOnlyTransaction(pool, partnerEnvironment, async (tx) => findKeptSum(tx));
  const base = everything || kept === null ? { until: epoch, amount: 0n } : kept;
  const month = settledMonth(clock.now());
  if (base.until >= month) return base;
  const from = base.until > first ? base.until : first;
  const slices = sliceByDays({ from: base.until, before: month }, from, null, clock.now());
  const sum = { until: month, amount: base.amount + (await sumSlices(comparing, slices, [])).total };
  return inTransaction(pool, partnerEnvironment, async (tx) => {
    if ((await nameLeftMonths(tx)) !== left) return null;
    if (!isDryRun) await keepSum(tx, partnerEnvironment, sum, clock.now());
    return sum;
  });
}

/**
 * Sums what the ledger posted to bank_wallet: the months that are over by what was kept of them, this one by its entries. What
 * is posted meanwhile is in one statement or the next; a payout whose money moves is replaced by the bank's line of it anyway.
 */
export async function sumLedger(comparing: Comparing, { causes, payoutsFrom }: Replaced): Promise<LedgerSum> {
  const { pool, partnerEnvironment, clock } = comparing;
  const first = await findFirst(comparing);
  const kept = await sumSettledMonths(comparing, first);
  const from = kept.until > first ? kept.until : first;
  const slices = sliceByDays({ from: kept.until, before: null }, from, payoutsFrom, clock.now());
  const sum = await sumSlices(comparing, slices, causes);
  const { newest, earlier } = await inReadOnlyTransaction(pool, partnerEnvironment, async (tx) => ({
    newest:
      payoutsFrom === null ? { total: 0n, replaced: 0n } : await sumNewest(tx, partnerEnvironment, payoutsFrom, causes),
    earlier: await sumOfCauses(tx, partnerEnvironment, { causes, before: kept.until }),
  }));
  const total = kept.amount + sum.total + newest.total;
  return { total, others: total - earlier - sum.replaced - newest.replaced };
}
