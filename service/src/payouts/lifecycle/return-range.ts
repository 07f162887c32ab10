import type { Payment, PaymentFailure } from '../../banks/index.ts';
import { formatExactUsdc, type MicroUsdc } from '../../money/amounts.ts';
import { usdcForPounds } from '../../money/rates.ts';
import type { Payout } from '../model/payout.ts';

/** One part in a hundred of what was sent: the bank may have converted it back at another rate. */
const tolerance = 100n;

interface Range {
  least: MicroUsdc;
  most: MicroUsdc;
}

/** What can come back of a payment: what the bank took for it, with or without the bank's share of the fee. */
export function returnRange({ walletDebit, amount, rate }: Payout, took: MicroUsdc): Range {
  const share = walletDebit - usdcForPounds(amount, rate);
  return { least: took - share - took / tolerance, most: took };
}

export function isWithin({ least, most }: Range, amount: MicroUsdc): boolean {
  return least <= amount && amount <= most;
}

export function describeReturn(took: MicroUsdc, refunded: MicroUsdc): string {
  return `the bank debited ${formatExactUsdc(took)} USDC and gave back ${formatExactUsdc(refunded)} USDC`;
}

/** Reasons that only a bank which has the money gives. Every other one can also be why a payment was never delivered. */
const returnReasons: ReadonlySet<PaymentFailure | null> = new Set(['recalled', 'recipient_declined']);

/**
 * Whether the bank says that the recipient's bank had the payment. Its record of a refund does not say what came before, so
 * in doubt the payment was never delivered, which costs the partner nothing.
 */
export function wasReturned({ failure }: Pick<Payment, 'failure'>): boolean {
  return returnReasons.has(failure);
}
