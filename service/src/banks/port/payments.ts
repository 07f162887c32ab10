import type { MicroUsdc, Pence } from '../../money/amounts.ts';
import type { GbpPerUsd } from '../../money/rates.ts';

// What any bank must offer, in our words. An adapter puts these into its bank's words and back; what a bank can't say for
// certain is `unknown`, and never guessed.

export interface Recipient {
  type: 'individual' | 'business';
  firstName: string;
  lastName: string;
  bankName: string;
  sortCode: string;
  accountNumber: string;
  address: { line1: string; line2: string | null; city: string; region: string; postalCode: string };
}

interface RegisterRecipientOrder {
  customerId: string;
  recipient: Recipient;
  /**
   * The same for tries that follow each other. A try on another day takes another one: the bank refuses a key that is too
   * old, nothing is paid here, and it knows a recipient that it has already.
   */
  idempotencyKey: string;
}

/** No money moves here: whatever goes wrong, nothing was sent. */
export type RegisterOutcome =
  | { kind: 'registered'; recipientId: string }
  /** The bank refuses these account details. */
  | { kind: 'rejected'; text: string }
  /** It refuses the request for another reason. */
  | { kind: 'refused'; text: string }
  /** It could not be asked, or its answer could not be understood. */
  | { kind: 'failed'; text: string };

export interface PaymentOrder {
  /** Whose order it is, by our own id. */
  partnerId: string;
  /** The partner at the bank, its wallet there, and the recipient as registered. */
  customerId: string;
  walletId: string;
  recipientId: string;
  amount: Pence;
  /** What the recipient sees: 1 to 18 characters of the Faster Payments set. */
  bankReference: string;
  /** How we find the payment again. */
  ourReference: string;
  /** The same for every try at the same payment: it is what keeps a repeat from paying twice. */
  idempotencyKey: string;
  /** When the payment was ordered first; the same for every try. */
  orderedAt: Date;
}

export type PaymentState =
  /** The bank has the order; nothing has happened yet. */
  | 'accepted'
  | 'under_way'
  | 'arrived'
  /** It could not be delivered. The money comes back later, or not. */
  | 'undeliverable'
  | 'coming_back'
  | 'refunded'
  | 'cancelled'
  /** The bank itself is stuck, or said a word that we do not know: a person has to look. */
  | 'needs_attention';

/** Why a payment failed or came back. */
export type PaymentFailure =
  | 'account_not_found'
  | 'account_closed'
  | 'account_blocked'
  | 'name_mismatch'
  | 'recipient_declined'
  | 'recalled'
  | 'regulatory'
  | 'bank_rejected_details'
  | 'unknown';

export interface Payment {
  id: string;
  /** Whose order it is, what the recipient gets, and who that is by the bank's id. Null where the bank does not say. */
  ourReference: string | null;
  pays: Pence | null;
  recipientId: string | null;
  state: PaymentState;
  /** The bank's own word, for people. */
  bankState: string;
  /** What the bank took from the wallet. Null where it did not say. */
  taken: MicroUsdc | null;
  /** What it gave back, once it has. */
  refunded: MicroUsdc | null;
  /** Null where nothing went wrong, or the bank did not say. */
  failure: PaymentFailure | null;
  /** What the network cost the bank for it, and what it bills for its having come back. Null where it does not say. */
  networkFee: MicroUsdc | null;
  returnFee: MicroUsdc | null;
}

export type SendOutcome = BankSendOutcome & {
  /** The partner asked its sandbox for this answer: nothing to be alarmed about, and no measure of the bank or of us. */
  isAskedFor?: true;
};

type BankSendOutcome =
  | { kind: 'accepted'; payment: Payment }
  /**
   * A definite no to this request: nothing was sent by it. `isKept`: the bank looked at the order, and keeps the answer
   * under its key, so that an earlier try which it accepted would have been answered otherwise.
   */
  | {
      kind: 'rejected';
      reason: 'account_details' | 'insufficient_funds' | 'other';
      isKept: boolean;
      text: string;
    }
  /** Certainly nothing: not one byte of the request left. */
  | { kind: 'unreachable'; text: string }
  /**
   * The request left, and what became of it is not known. `isKeyRefused`: the bank has another request under this key, so
   * that to repeat this one tells no more.
   */
  | { kind: 'unknown'; isKeyRefused?: true; text: string };

export type FindOutcome =
  | { kind: 'found'; payment: Payment }
  /** The bank says there is none. That is not proof: it has been seen to find one later. */
  | { kind: 'absent' }
  | { kind: 'unknown'; text: string };

export type CancelOutcome =
  | { kind: 'cancelled'; payment: Payment }
  | { kind: 'too_late' }
  | { kind: 'unknown'; text: string };

/** Whether a payment would be sent now. `busy`: too many wait for it. `resting`: it failed, and is left alone for a moment. */
export type Readiness = 'ready' | 'busy' | 'resting';

export interface Bank {
  /** Without it, the bank is always ready. */
  readiness?(): Readiness;
  registerRecipient(order: RegisterRecipientOrder): Promise<RegisterOutcome>;
  /** One request, and no retry of its own. */
  sendPayment(order: PaymentOrder): Promise<SendOutcome>;
  findPayment(paymentId: string): Promise<FindOutcome>;
  cancelPayment(paymentId: string): Promise<CancelOutcome>;
  /** Pounds for a dollar, on the side of the market that gives fewer. Null where the bank does not say. */
  findRate(): Promise<GbpPerUsd | null>;
}
