import type { MicroUsdc } from '../../money/amounts.ts';

/** How the bank's records and our books can differ. */
type DifferenceKind =
  /** We say that it was sent, and the bank does not have it. */
  | 'transfer_missing'
  /** The bank has it, and no payout of ours ordered it. */
  | 'transfer_unknown'
  /** The bank has another one for an order that has its transfer already. */
  | 'transfer_doubled'
  /** The bank has another recipient than the payout named. */
  | 'transfer_recipient'
  | 'transfer_amount'
  | 'transfer_state'
  /** More of them differ than could be cases of their own. */
  | 'transfers_many'
  | 'deposit_missing'
  | 'deposit_unknown'
  | 'deposit_amount'
  | 'deposit_state'
  /** The sender's bank wants it back, and it is still here. */
  | 'deposit_recalled'
  | 'wallet_balance';

export interface Difference {
  kind: DifferenceKind;
  /** The bank's id of what it is about. */
  subject: string;
  /** The payout or the deposit in our books; null where there is none. */
  relatedId: string | null;
  /** What the bank's wallet has by it, less what our books say. Null where it is not about an amount. */
  amount: MicroUsdc | null;
  /** In words that are the same for as long as the difference is. No name and no bank details. */
  detail: string;
}

export type Comparison =
  | { kind: 'equal' }
  /** It was under way at the cut-off, on one side or the other: a later run compares it. */
  | { kind: 'in_flight' }
  | { kind: 'different'; difference: Difference };

/** A comparison that asked the bank anew; it may not have answered. */
export type Recheck = Comparison | { kind: 'unknown' };

export const equal: Comparison = { kind: 'equal' };
export const inFlight: Comparison = { kind: 'in_flight' };

export function different(difference: Difference): Comparison {
  return { kind: 'different', difference };
}
