import type { PaymentRecord } from '../banks/index.ts';
import { formatExactUsdc, formatPounds, type MicroUsdc, type Pence } from '../money/amounts.ts';
import { different, equal, inFlight, type Comparison } from './cases/difference.ts';

/** A payout at a bank, with what the ledger moved for it at the bank's wallet. */
export interface OurTransfer {
  payoutId: string;
  orderId: string;
  state: string;
  /** The bank's id of it; null where it was never there, or we do not know. */
  paymentId: string | null;
  pays: Pence;
  /** The recipient at the bank that it named; null where that is not known, or not to be opened by this run. */
  recipient: { id: string } | 'unreadable' | null;
  took: MicroUsdc | null;
  refunded: MicroUsdc | null;
  booked: MicroUsdc;
  changedAt: Date;
}

const ourEnds = new Set(['completed', 'failed', 'cancelled', 'returned', 'not_created']);

export function isAtItsEnd(state: string): boolean {
  return ourEnds.has(state);
}

const bankEnds: ReadonlySet<PaymentRecord['state']> = new Set(['arrived', 'undeliverable', 'refunded', 'cancelled']);

/** What the bank may say of a payout that is at its end here. Money that comes back is here once it has. */
const agreeing: Readonly<Record<string, readonly PaymentRecord['state'][]>> = {
  completed: ['arrived', 'coming_back'],
  failed: ['undeliverable', 'coming_back', 'refunded'],
  cancelled: ['cancelled'],
  returned: ['refunded'],
};

/** What a payment did to the wallet at the bank, by the bank's own word. */
export function effectOf({ taken, refunded }: Pick<PaymentRecord, 'taken' | 'refunded'>): MicroUsdc {
  return (refunded ?? 0n) - (taken ?? 0n);
}

function isSince(at: Date | null, cutOff: Date): boolean {
  return at !== null && at >= cutOff;
}

/** A payout against the payment that is its own, or against none. Pure: the same of the same. */
export function compareTransfer(ours: OurTransfer, payment: PaymentRecord | null, cutOff: Date): Comparison {
  if (isSince(ours.changedAt, cutOff)) return inFlight;
  if (payment === null) return compareWithNone(ours);
  if (isSince(payment.changedAt, cutOff)) return inFlight;
  const about = { subject: payment.id, relatedId: ours.payoutId, amount: effectOf(payment) - ours.booked };
  // Wherever the payment is on its way: the sooner a person knows, the better.
  const wrongRecipient = differingRecipient(ours, payment);
  if (wrongRecipient !== null) return different({ kind: 'transfer_recipient', ...about, detail: wrongRecipient });
  const isOver = ourEnds.has(ours.state);
  if (!isOver && !bankEnds.has(payment.state)) return inFlight;
  if (ours.paymentId === null || !(agreeing[ours.state] ?? []).includes(payment.state)) {
    const detail = `the payout is ${ours.state}, bank status ${payment.bankState}`;
    return different({ kind: 'transfer_state', ...about, detail });
  }
  const detail = differingAmounts(ours, payment);
  return detail === null ? equal : different({ kind: 'transfer_amount', ...about, detail });
}

/** Says that they differ, and never which account either is. */
function differingRecipient({ recipient }: OurTransfer, { recipientId }: PaymentRecord): string | null {
  if (recipient === 'unreadable') return 'the recipient recorded for the payout cannot be decrypted';
  if (recipient === null || recipientId === null || recipient.id === recipientId) return null;
  return 'the bank has another recipient account than the payout named';
}

function compareWithNone({ paymentId, payoutId, state, booked }: OurTransfer): Comparison {
  if (paymentId === null && booked === 0n) return ourEnds.has(state) ? equal : inFlight;
  const detail = `the payout is ${state}, with ${formatExactUsdc(booked)} USDC booked, but the bank does not have it`;
  const subject = paymentId ?? payoutId;
  return different({ kind: 'transfer_missing', subject, relatedId: payoutId, amount: -booked, detail });
}

function usdc(amount: MicroUsdc | null): string {
  return amount === null ? 'nothing' : `${formatExactUsdc(amount)} USDC`;
}

/** A value that the bank leaves out is not a difference. */
function differingAmounts(ours: OurTransfer, payment: PaymentRecord): string | null {
  const { taken, refunded, pays } = payment;
  const found: string[] = [];
  if (pays !== null && pays !== ours.pays)
    found.push(`it pays ${formatPounds(pays)} GBP, not ${formatPounds(ours.pays)} GBP`);
  if (taken !== null && taken !== ours.took) found.push(`the bank debited ${usdc(taken)}, not ${usdc(ours.took)}`);
  if (refunded !== ours.refunded) found.push(`the bank refunded ${usdc(refunded)}, not ${usdc(ours.refunded)}`);
  const effect = effectOf({ taken: taken ?? ours.took, refunded });
  if (effect !== ours.booked) found.push(`it moved ${usdc(effect)} at the bank and ${usdc(ours.booked)} in the ledger`);
  return found.length === 0 ? null : found.join('; ');
}

/** A payment without a payout: of an unknown order, or a second one of the same order. */
export function judgeStranger(payment: PaymentRecord, payoutId: string | null, cutOff: Date): Comparison {
  if (isSince(payment.createdAt, cutOff)) return inFlight;
  const detail = `the bank debited ${usdc(payment.taken)} and refunded ${usdc(payment.refunded)}`;
  const about = { subject: payment.id, relatedId: payoutId, amount: effectOf(payment), detail };
  return different({ kind: payoutId === null ? 'transfer_unknown' : 'transfer_doubled', ...about });
}
