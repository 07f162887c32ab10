import type { PaymentRecord } from '../banks/index.ts';
import { formatExactUsdc, type MicroUsdc } from '../money/amounts.ts';
import { different, equal, inFlight, type Comparison } from './cases/difference.ts';
import { effectOf } from './compare-transfer.ts';

/** A move between the house's float and the partner's bank wallet. */
export interface OurFloatMove {
  id: string;
  kind: 'top_up' | 'sweep';
  state: 'open' | 'done' | 'failed';
  amount: MicroUsdc;
  paymentId: string | null;
  finishedAt: Date | null;
}

const endsOf: Readonly<Record<'done' | 'failed', readonly PaymentRecord['state'][]>> = {
  done: ['arrived'],
  failed: ['refunded', 'cancelled'],
};

/** A sweep against the transfer that the partner's list at the bank has for it. Pure function. */
export function compareFloatMove(move: OurFloatMove, payment: PaymentRecord, cutOff: Date): Comparison {
  const { state, finishedAt } = move;
  const isRecent = [finishedAt, payment.changedAt].some((at) => at !== null && at >= cutOff);
  if (state === 'open' || isRecent) return inFlight;
  const booked = state === 'done' ? -move.amount : 0n;
  const about = { subject: payment.id, relatedId: null, amount: effectOf(payment) - booked };
  if (!endsOf[state].includes(payment.state)) {
    const detail = `the sweep to the float is ${state}, bank status ${payment.bankState}`;
    return different({ kind: 'transfer_state', ...about, detail });
  }
  if (about.amount === 0n) return equal;
  const sizes = [effectOf(payment), booked].map((amount) => `${formatExactUsdc(amount)} USDC`);
  const detail = `the sweep to the float moved ${sizes[0]} at the bank and ${sizes[1]} in the ledger`;
  return different({ kind: 'transfer_amount', ...about, detail });
}

/** What the bank has done for an open move, and our books do not have yet; null where it can't be said. */
export function effectOfOpenMove(move: OurFloatMove, payment: PaymentRecord | null): MicroUsdc | null {
  if (move.kind === 'sweep') return payment === null ? null : effectOf(payment) + move.amount;
  return payment?.state === 'arrived' ? move.amount : payment === null ? null : 0n;
}
