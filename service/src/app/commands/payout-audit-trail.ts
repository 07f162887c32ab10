// One payout's audit trail as an operator reads it.
import type { EntryRow } from '../../ledger/index.ts';
import { formatPounds } from '../../money/amounts.ts';
import type { AuditTrail } from '../../payouts/index.ts';
import { instantOf } from '../../platform/ids.ts';
import { describeEntry, exactUsdc } from './printing.ts';

function describeChange(row: AuditTrail['history'][number], entries: readonly EntryRow[]): string[] {
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
    `  wallet sends ${exactUsdc(payout.walletDebit)} USDC; the bank took ${payout.bankDebited === null ? 'not known' : exactUsdc(payout.bankDebited)}, gave back ${payout.bankRefunded === null ? 'nothing' : exactUsdc(payout.bankRefunded)}`,
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
