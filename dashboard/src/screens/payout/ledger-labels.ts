// What a payout did to the partner's own money, in words.
import type { PayoutHistory } from '@kelpie/sdk';
import { penceOf } from '../../format/money.ts';

type LedgerLine = PayoutHistory['ledger'][number];

/** By the reason that the ledger has for it. One that is newer than this page is said without it. */
const invoiceLabels: Readonly<Record<string, { out: string; in: string }>> = {
  'charge.payout_fees': { out: 'Fee put on the invoice', in: 'Fee given back' },
  'charge.bank_exceptions': { out: 'Charge of the bank, put on the invoice', in: 'Charge taken back' },
};

export function lineLabel({
  account,
  direction,
  reason,
}: Pick<LedgerLine, 'account' | 'direction' | 'reason'>): string {
  if (account === 'wallet') return direction === 'out' ? 'Set aside for the payout' : 'Given back to the wallet';
  const isOut = direction === 'out';
  // A credit is used by an invoice, not by the payout that it was given for.
  if (reason.startsWith('credit.') && !isOut) return 'Fee given back, as a credit';
  const labels = invoiceLabels[reason];
  if (labels !== undefined) return isOut ? labels.out : labels.in;
  return isOut ? 'Put on the invoice' : 'Taken off the invoice';
}

/** Whether the wallet still lacks something of what was set aside. */
export function isStillHeld(ledger: readonly Pick<LedgerLine, 'account' | 'direction' | 'amount'>[]): boolean {
  const held = ledger
    .filter(({ account }) => account === 'wallet')
    .reduce((sum, { direction, amount }) => (direction === 'out' ? sum + penceOf(amount) : sum - penceOf(amount)), 0n);
  return held > 0n;
}
