// Labels for the ledger lines of a payout.
import type { PayoutHistory } from '@kelpie/sdk';
import { penceOf } from '../../format/money.ts';

type LedgerLine = PayoutHistory['ledger'][number];

/** By the ledger's reason. A reason newer than this page gets a general label. */
const invoiceLabels: Readonly<Record<string, { out: string; in: string }>> = {
  'charge.payout_fees': { out: 'Fee added to invoice', in: 'Fee refunded' },
  'charge.bank_exceptions': { out: 'Bank charge added to invoice', in: 'Bank charge refunded' },
};

export function lineLabel({
  account,
  direction,
  reason,
}: Pick<LedgerLine, 'account' | 'direction' | 'reason'>): string {
  if (account === 'wallet') return direction === 'out' ? 'Hold for the payout' : 'Returned to wallet';
  const isOut = direction === 'out';
  // Invoices use up credits, so only the granting of one is labelled so.
  if (reason.startsWith('credit.') && !isOut) return 'Fee credited to the next invoice';
  const labels = invoiceLabels[reason];
  if (labels !== undefined) return isOut ? labels.out : labels.in;
  return isOut ? 'Added to invoice' : 'Removed from invoice';
}

/** Whether part of the hold has not returned to the wallet. */
export function isStillHeld(ledger: readonly Pick<LedgerLine, 'account' | 'direction' | 'amount'>[]): boolean {
  const held = ledger
    .filter(({ account }) => account === 'wallet')
    .reduce((sum, { direction, amount }) => (direction === 'out' ? sum + penceOf(amount) : sum - penceOf(amount)), 0n);
  return held > 0n;
}
