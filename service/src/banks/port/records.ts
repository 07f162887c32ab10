import type { MicroUsdc } from '../../money/amounts.ts';
import type { Payment } from './payments.ts';

/** A payment with what only a comparison of books asks for. What the bank does not say is null. */
export interface PaymentRecord extends Payment {
  /** What the recipient sees of it. */
  bankReference: string | null;
  createdAt: Date | null;
  changedAt: Date | null;
}

export type FindRecordOutcome =
  | { kind: 'found'; payment: PaymentRecord }
  | { kind: 'absent' }
  | { kind: 'unknown'; text: string };

/** A recipient as the bank describes it, which never says the whole account number. */
export interface RecipientRecord {
  name: string | null;
  accountLast4: string | null;
}

export interface PaymentPage {
  payments: PaymentRecord[];
  /** Where the next page begins; null after the last. */
  next: string | null;
}

/** The sender's bank wants a deposit back. The bank only passes the request on: the money stays where it is. */
export interface Recall {
  id: string;
  depositId: string;
  isFraud: boolean;
  createdAt: Date | null;
}

export interface RecallPage {
  recalls: Recall[];
  /** Where the next page begins; null after the last. */
  next: string | null;
}

/** A bank whose own books can be read: for finding a payment that was lost, and for reconciliation. */
export interface BankRecords {
  /**
   * Newest first, a page at a time; null where the bank did not answer. With `changedSince` the bank may leave out what it
   * has not changed since, and may also not: whoever asks looks at `changedAt`.
   */
  listPayments(customerId: string, after: string | null, changedSince?: Date): Promise<PaymentPage | null>;
  findRecord(paymentId: string): Promise<FindRecordOutcome>;
  /** Null where the bank did not answer, or has no such recipient. */
  findRecipient(recipient: { customerId: string; recipientId: string }): Promise<RecipientRecord | null>;
  /** Newest first, a page at a time; null where the bank did not answer, or with something that can't be read. */
  listRecalls(customerId: string, after: string | null): Promise<RecallPage | null>;
  /** What a wallet holds now; below zero where its customer owes the bank. Null where the bank did not answer. */
  readBalance(wallet: { customerId: string; walletId: string }): Promise<MicroUsdc | null>;
}
