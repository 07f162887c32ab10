import type { MicroUsdc } from '../../money/amounts.ts';
import type { Payment } from './payments.ts';

/** A payment with what only a comparison of books asks for. What the bank does not say is null. */
export interface PaymentRecord extends Payment {
  createdAt: Date | null;
  changedAt: Date | null;
}

export type FindRecordOutcome =
  | { kind: 'found'; payment: PaymentRecord }
  | { kind: 'absent' }
  | { kind: 'unknown'; text: string };

export interface PaymentPage {
  payments: PaymentRecord[];
  /** Where the next page begins; null after the last. */
  next: string | null;
}

/** A bank whose own books can be read: for finding a payment that was lost, and for reconciliation. */
export interface BankRecords {
  /** Newest first, a page at a time; null where the bank did not answer. */
  listPayments(customerId: string, after: string | null): Promise<PaymentPage | null>;
  findRecord(paymentId: string): Promise<FindRecordOutcome>;
  /** What a wallet holds now; below zero where its customer owes the bank. Null where the bank did not answer. */
  readBalance(wallet: { customerId: string; walletId: string }): Promise<MicroUsdc | null>;
}
