import type { Transaction } from '../platform/database/transaction.ts';
import { countRows, listDifferenceRows } from './store.ts';

interface Difference {
  kind: string;
  what: string;
  expected: string;
  found: string;
}

export interface Verification {
  entries: number;
  transfers: number;
  wallets: number;
  /** Empty where the ledger is right; otherwise the first of what is wrong. */
  differences: Difference[];
}

/** Enough to see what kind of trouble it is. */
const mostDifferences = 100;

/** Recomputes every balance from the entries. It needs to see every partner's rows, so it runs as the reading role. */
export async function verifyLedger(tx: Transaction): Promise<Verification> {
  const counts = await countRows(tx);
  const differences = await listDifferenceRows(tx, mostDifferences);
  return {
    entries: Number(counts.entries),
    transfers: Number(counts.transfers),
    wallets: Number(counts.wallets),
    differences,
  };
}
