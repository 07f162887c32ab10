import { listEntries, type EntryRow } from '../../ledger/index.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { instantOf } from '../../platform/ids.ts';
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

function micro(amount: bigint | null): string {
  if (amount === null) return 'not known';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

function inUnits(currency: EntryRow['currency'], amount: bigint): string {
  if (currency !== 'GBP') return micro(amount);
  return `${amount < 0n ? '-' : ''}${formatPounds(amount < 0n ? -amount : amount)}`;
}

function describeEntry({ account, currency, amount, wallet_balance_after: after }: EntryRow): string {
  const shown = `${inUnits(currency, BigInt(amount))} ${currency === 'USDC' ? 'USDC' : 'GBP'}`;
  const balance = after === null ? '' : `   the wallet then holds ${micro(BigInt(after))}`;
  return `        ${account.padEnd(18)} ${shown.padStart(20)}${balance}`;
}

function describeChange(row: HistoryRow, entries: readonly EntryRow[]): string[] {
  const words = [row.what.replaceAll('_', ' '), `try ${row.attempt}`, `by ${row.by}`];
  if (row.bank_state !== null && row.bank_state !== '') words.push(`the bank says ${row.bank_state}`);
  if (row.detail !== null) words.push(row.detail);
  const own = entries.filter(({ transfer_id: id }) => row.transfer_ids.includes(id));
  return [`  ${row.at.toISOString()}  ${row.state.padEnd(11)}  ${words.join(', ')}`, ...own.map(describeEntry)];
}

/** For an operator: never more of the recipient than the partner itself is shown. */
export function formatAuditTrail({ payout, history, entries, cases, dueAt }: AuditTrail): string {
  const lines = [
    `Payout ${payout.id}: ${payout.state}`,
    `  partner ${payout.partnerId}, ${payout.environment}, by ${payout.rail}`,
    `  ${formatPounds(payout.amount)} GBP to ${payout.recipientName}, account ending ${payout.accountLast4}; fee ${formatPounds(payout.fee)} GBP`,
    `  wallet sends ${micro(payout.walletDebit)} USDC; the bank took ${micro(payout.bankDebited)}, gave back ${payout.bankRefunded === null ? 'nothing' : micro(payout.bankRefunded)}`,
    `  our order ${payout.orderId}, round ${payout.bankRound}; the bank's payment ${payout.bankPaymentId ?? 'not known'} (${payout.bankState ?? 'no word yet'})`,
    `  created ${instantOf(payout.id).toISOString()} by ${payout.createdBy}, ${payout.attempts} ${payout.attempts === 1 ? 'try' : 'tries'} in all`,
    ...(payout.failureReason === null ? [] : [`  ${payout.failureCode}: ${payout.failureReason}`]),
    dueAt === null ? '  Nothing is left to be looked after.' : `  Looked at next at ${dueAt.toISOString()}.`,
    '',
    'History',
    ...history.flatMap((row) => describeChange(row, entries)),
    ...(cases.length === 0 ? [] : ['', 'Cases']),
    ...cases.map(
      (one) =>
        `  ${one.opened_at.toISOString()}  ${one.kind.replaceAll('_', ' ')}: ${one.detail} (${one.closed_at === null ? 'open' : 'closed'})`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
