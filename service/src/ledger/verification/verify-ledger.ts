import type { Transaction } from '../../platform/database/transaction.ts';
import { lastId } from '../../platform/ids.ts';
import type { IdSpan } from './id-span.ts';
import {
  countRows,
  listBalanceDifferences,
  listChainDifferences,
  listSumDifferences,
  readOneSnapshot,
  type DifferenceRow,
} from './store.ts';

export interface Verification {
  entries: number;
  transfers: number;
  wallets: number;
  /** Empty where the ledger is right; otherwise the first of what is wrong. */
  differences: DifferenceRow[];
}

/** Enough to see what kind of trouble it is. */
const mostDifferences = 100;

/** How much of the ledger a span has in the database. */
export async function countEntries(tx: Transaction, span: IdSpan): Promise<Omit<Verification, 'differences'>> {
  const counts = await countRows(tx, span);
  return { entries: Number(counts.entries), transfers: Number(counts.transfers), wallets: Number(counts.wallets) };
}

/**
 * Recomputes what the entries of a span say. A balance is what its newest entry says, so a span without an end has them all.
 * It needs to see every partner's rows, so it runs as the reading role, and first in its transaction.
 */
export async function verifyLedger(tx: Transaction, span: IdSpan): Promise<Verification> {
  await readOneSnapshot(tx);
  const counts = await countEntries(tx, span);
  const ofSums = await listSumDifferences(tx, span, mostDifferences);
  const ofChains = await listChainDifferences(tx, span, mostDifferences);
  const ofBalances = span.before === lastId ? await listBalanceDifferences(tx, mostDifferences) : [];
  return { ...counts, differences: [...ofSums, ...ofChains, ...ofBalances] };
}
