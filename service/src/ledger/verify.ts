import type { Transaction } from '../platform/database/transaction.ts';
import { countRows, listDifferenceRows, readOneSnapshot, type DifferenceRow } from './store.ts';

export interface Verification {
  entries: number;
  transfers: number;
  wallets: number;
  /** Empty where the ledger is right; otherwise the first of what is wrong. */
  differences: DifferenceRow[];
}

/** Enough to see what kind of trouble it is. */
const mostDifferences = 100;

/**
 * Recomputes every balance from the entries. It needs to see every partner's rows, so it runs as the reading role, and
 * first in its transaction.
 */
export async function verifyLedger(tx: Transaction): Promise<Verification> {
  await readOneSnapshot(tx);
  const counts = await countRows(tx);
  const differences = await listDifferenceRows(tx, mostDifferences);
  return {
    entries: Number(counts.entries),
    transfers: Number(counts.transfers),
    wallets: Number(counts.wallets),
    differences,
  };
}
