import { listEntries, type EntryRow } from '../../ledger/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { Payout } from '../model/payout.ts';
import { readRecords, type HistoryRow } from '../records/payout-store.ts';

/** One payout from its order to now: every state, try, word of the bank and line of the ledger, with who and when. */
export interface AuditTrail {
  payout: Payout;
  history: HistoryRow[];
  entries: EntryRow[];
  cases: { kind: string; detail: string; opened_at: Date; closed_at: Date | null }[];
  /** When it is looked at next; null where nothing is left to be looked after. */
  dueAt: Date | null;
}

/** As the reading role, which sees every partner's. Null where there is no such payout. */
export async function readAuditTrail(tx: Transaction, payoutId: string): Promise<AuditTrail | null> {
  const records = await readRecords(tx, payoutId);
  if (records === null) return null;
  const entries = await listEntries(
    tx,
    records.history.flatMap((row) => row.transfer_ids),
  );
  return { ...records, entries };
}

/** The same for programs: what only the bank may know stays encrypted. */
export function auditTrailAsJson({ payout, ...rest }: AuditTrail): object {
  const { recipientEncrypted: _encrypted, ...shown } = payout;
  return { payout: shown, ...rest };
}
