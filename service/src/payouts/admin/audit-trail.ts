import { listEntries, type EntryRow } from '../../ledger/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { Payout } from '../model/payout.ts';
import { readRecords, type HistoryRow } from '../records/payout-store.ts';

/** Everything that happened to one payout: states, attempts, bank answers and ledger lines. */
export interface AuditTrail {
  payout: Payout;
  history: HistoryRow[];
  entries: EntryRow[];
  cases: { kind: string; detail: string; opened_at: Date; closed_at: Date | null }[];
  /** The next check; null where none is scheduled. */
  dueAt: Date | null;
}

/** Runs as kelpie_reader. Null if there is no such payout. */
export async function readAuditTrail(tx: Transaction, payoutId: string): Promise<AuditTrail | null> {
  const records = await readRecords(tx, payoutId);
  if (records === null) return null;
  const entries = await listEntries(
    tx,
    records.history.flatMap((row) => row.transfer_ids),
  );
  return { ...records, entries };
}

/** Without the encrypted bank details. */
export function auditTrailAsJson({ payout, ...rest }: AuditTrail): object {
  const { recipientEncrypted: _encrypted, ...shown } = payout;
  return { payout: shown, ...rest };
}
