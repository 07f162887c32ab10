import type { ArchiveStore } from '../../archive/index.ts';
import {
  dayAfter,
  everything,
  judgeChain,
  listClosedDays,
  type ClosedDay,
  type DayAnchor,
  type MacOf,
  type Verification,
} from '../../ledger/index.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inReadOnlyTransaction } from '../../platform/database/transaction.ts';
import { judgeMonths, type MonthMacOf } from './month-proof.ts';
import { createLeftMonths } from './left-months.ts';
import { verifyClosedDay, verifyInvoicesOf, verifyOpenDays, verifySums } from './verify-books.ts';

/** What proves that a closed day is the one that was closed. */
export interface DayProof {
  macOf: MacOf;
  monthMacOf: MonthMacOf;
  anchors: readonly DayAnchor[];
}

export interface WholeVerification extends Verification {
  invoices: number;
  /** Closed days that were read again. */
  days: number;
  /** Months in the archive that were not read, because nobody said where it is. */
  unreadMonths: string[];
  /** Whether closed days were held against the key and their anchors. */
  isProved: boolean;
}

export interface WholeOptions {
  proof: DayProof | null;
  /** Where months are that have left the database; null where they are not read. */
  store: ArchiveStore | null;
  /** Of the closed days only these. */
  choose?: (days: readonly ClosedDay[]) => readonly ClosedDay[];
  onDay?: (done: number, of: number) => void;
}

/** Open days, closed days and their chain, and invoices. Each day is a snapshot of its own: none holds back vacuum for long. */
export async function verifyAll(pool: Pool, { proof, store, choose, onDay }: WholeOptions): Promise<WholeVerification> {
  const closed = await inReadOnlyTransaction(pool, 'shared', listClosedDays);
  const last = closed.at(-1);
  const left = createLeftMonths(pool, store);
  const sum = await verifyOpenDays(pool, last === undefined ? null : dayAfter(last.day), left);
  const months = store === null ? (await left.list()).map(({ month }) => month) : [];
  const wanted = choose?.(closed) ?? closed;
  const chosen = wanted.filter(({ day }) => !months.some((month) => day.startsWith(month)));
  for (const [at, day] of chosen.entries()) {
    const { entries, transfers, differences } = await verifyClosedDay(pool, day, left);
    sum.entries += entries;
    sum.transfers += transfers;
    sum.differences.push(...differences);
    onDay?.(at + 1, chosen.length);
  }
  // Who reads every day reads all of it once more.
  const ofSums = wanted.length === closed.length ? await verifySums(pool) : [];
  const { invoices, differences: ofInvoices } = await verifyInvoicesOf(pool, everything);
  const ofChain = proof === null ? [] : judgeChain(closed, proof.macOf, proof.anchors);
  const ofMonths = await judgeMonths(pool, left, proof?.monthMacOf ?? null);
  return {
    ...sum,
    invoices,
    days: chosen.length,
    unreadMonths: months,
    isProved: proof !== null,
    differences: [...ofChain, ...ofMonths, ...sum.differences, ...ofSums, ...ofInvoices],
  };
}
