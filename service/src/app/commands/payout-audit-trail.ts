// One payout's audit trail as text.
import type { EntryRow } from '../../ledger/index.ts';
import type { AuditTrail } from '../../payouts/index.ts';
import { instantOf } from '../../platform/ids.ts';
import { counted, describeEntry, exactUsdc, pounds, signedUsdc } from './printing.ts';

function describeChange(row: AuditTrail['history'][number], entries: readonly EntryRow[]): string[] {
  const words = [row.what.replaceAll('_', ' '), `attempt ${row.attempt}`, `by ${row.by}`];
  if (row.bank_state !== null && row.bank_state !== '') words.push(`bank status ${row.bank_state}`);
  if (row.detail !== null) words.push(row.detail);
  const own = entries.filter(({ transfer_id: id }) => row.transfer_ids.includes(id));
  return [`  ${row.at.toISOString()}  ${row.state.padEnd(11)}  ${words.join(', ')}`, ...own.map(describeEntry)];
}

/** Shows no more of the recipient than the partner sees. */
export function formatAuditTrail({ payout, history, entries, cases, dueAt }: AuditTrail): string {
  const lines = [
    `Payout ${payout.id}: ${payout.state}`,
    `  partner ${payout.partnerId}, ${payout.environment}, rail ${payout.rail}`,
    `  ${pounds(payout.amount)} to ${payout.recipientName}, account ending ${payout.accountLast4}, fee ${pounds(payout.fee)}`,
    `  wallet ${signedUsdc(-payout.walletDebit)}, bank debited ${payout.bankDebited === null ? 'unknown' : exactUsdc(payout.bankDebited)}, bank refunded ${payout.bankRefunded === null ? 'nothing' : exactUsdc(payout.bankRefunded)}`,
    `  order ${payout.orderId}, round ${payout.bankRound}`,
    `  bank payment ${payout.bankPaymentId ?? 'unknown'}, bank status ${payout.bankState ?? 'unknown'}`,
    `  created ${instantOf(payout.id).toISOString()} by ${payout.createdBy}, ${counted(payout.attempts, 'attempt')}`,
    ...(payout.failureReason === null ? [] : [`  ${payout.failureCode}: ${payout.failureReason}`]),
    dueAt === null ? '  No further action is scheduled.' : `  Next check ${dueAt.toISOString()}.`,
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
