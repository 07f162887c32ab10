import type { Transaction } from '../../platform/database/transaction.ts';
import { countInvoices, listDifferences, type DifferenceRow } from './store.ts';

/** Enough to see what kind of trouble it is. */
const mostDifferences = 100;

/** Holds every invoice against the ledger, as the reading role. What differs is named; nothing is changed. */
export async function verifyInvoices(tx: Transaction): Promise<{ invoices: number; differences: DifferenceRow[] }> {
  return { invoices: await countInvoices(tx), differences: await listDifferences(tx, mostDifferences) };
}
