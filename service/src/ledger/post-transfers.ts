import type { Transaction } from '../platform/database/transaction.ts';
import { insertTransfers } from './store.ts';
import type { Transfer } from './transfer.ts';

export type PostOutcome =
  | { kind: 'posted' }
  /** The wallet would have gone below zero: nothing of this transfer was posted. */
  | { kind: 'insufficient_funds'; available: bigint };

/**
 * Posts transfers of any number of partners, in order of arrival, and says of each what became of it. A transfer that its
 * wallet can't cover touches no other. One that does not sum to zero, or was posted before, is a bug and throws.
 */
export async function postTransfers(tx: Transaction, transfers: readonly Transfer[]): Promise<PostOutcome[]> {
  const rows = await insertTransfers(tx, transfers);
  const refused = new Map(
    rows.filter((row) => !row.posted).map((row) => [row.transfer_id, BigInt(row.wallet_balance)]),
  );
  return transfers.map((transfer): PostOutcome => {
    const available = refused.get(transfer.id);
    return available === undefined ? { kind: 'posted' } : { kind: 'insufficient_funds', available };
  });
}
