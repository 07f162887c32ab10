import type { PaymentFailure } from '../../banks/index.ts';
import type { MicroUsdc, Pence } from '../../money/amounts.ts';
import type { GbpPerUsd } from '../../money/rates.ts';
import type { Rail } from '../../partners/index.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';

/** What a partner can see of a payout's life. */
type PayoutStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled' | 'returned';

/**
 * `sending`: the bank is being asked. `not_created`: certainly nothing was sent; it is there so that its key and body are
 * remembered. No read shows either.
 */
export type PayoutState = PayoutStatus | 'sending' | 'not_created';

export interface Payout extends PartnerContext {
  /** A UUIDv7: the instant in it is when the payout was created. */
  id: string;
  rail: Rail;
  state: PayoutState;
  /** Counts its changes. A change names the number that it builds on, and is refused where another came first. */
  revision: number;
  /** How often the bank was asked to pay it, or may have been. */
  attempts: number;
  /** The caller's own id for it. Null, as what is null of the recipient, where it was rebuilt from the bank's record. */
  idempotencyKey: string | null;
  /** What we call it at the bank: the same for every try with the same idempotency key. */
  orderId: string;
  bankRound: number;
  firstTriedAt: Date;
  reference: string | null;
  bankReference: string;
  amount: Pence;
  fee: Pence;
  providerFee: Pence;
  walletDebit: MicroUsdc;
  rate: GbpPerUsd;
  /** The prices that it was made by. */
  pricePlan: string;
  recipientName: string | null;
  accountLast4: string | null;
  recipientEncrypted: Buffer | null;
  /** The account that is paid, under that name, as a keyed digest. */
  accountIndex: Buffer | null;
  /** The recipient at the bank that it names, encrypted: the same for every try. Null where it is not known yet. */
  bankRecipientEncrypted: Buffer | null;
  createdVia: 'api' | 'dashboard';
  createdBy: string;
  bankPaymentId: string | null;
  bankState: string | null;
  bankDebited: MicroUsdc | null;
  bankRefunded: MicroUsdc | null;
  failureCode: PaymentFailure | null;
  failureReason: string | null;
  updatedAt: Date;
  /** When it arrived; null where it has not. */
  completedAt: Date | null;
  /** Another was created for the same account and amount in the day before, under another key. */
  isDuplicateSuspected: boolean;
}

const openStatuses: ReadonlySet<PayoutStatus> = new Set(['pending', 'processing']);

/** Whether it is at its end, as far as the bank has said. One that arrived can still be returned, days later. */
export function isFinal(status: PayoutStatus): boolean {
  return !openStatuses.has(status);
}

/** One that its partner may see. */
export type VisiblePayout = Payout & { state: PayoutStatus };

/** All that a partner is shown of it. */
export type ShownPayout = Pick<
  VisiblePayout,
  | 'id'
  | 'environment'
  | 'state'
  | 'reference'
  | 'bankReference'
  | 'amount'
  | 'fee'
  | 'walletDebit'
  | 'recipientName'
  | 'accountLast4'
  | 'failureCode'
  | 'failureReason'
  | 'updatedAt'
  | 'createdVia'
  | 'idempotencyKey'
  | 'isDuplicateSuspected'
>;

/** The one definition in the service; kelpie.visible_payouts is the one in the database, and a test keeps them equal. */
export function isVisibleState(state: PayoutState): state is PayoutStatus {
  return state !== 'sending' && state !== 'not_created';
}

export function isVisible(payout: Payout): payout is VisiblePayout {
  return isVisibleState(payout.state);
}
