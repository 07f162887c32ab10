import type { MicroUsdc, Pence } from '../money/amounts.ts';
import type { GbpPerUsd } from '../money/rates.ts';

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
  | { kind: 'failed'; text: string };

export interface PaymentOrder {
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
  ourReference: string | null;
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

export type SendOutcome =
  | { kind: 'accepted'; payment: Payment }
  /** A definite no to this request: nothing was sent by it. */
  | { kind: 'rejected'; reason: 'account_details' | 'insufficient_funds' | 'other'; text: string }
  /** Certainly nothing: not one byte of the request left. */
  | { kind: 'unreachable'; text: string }
  /** The request left, and what became of it is not known. */
  | { kind: 'unknown'; text: string };

export type FindOutcome =
  | { kind: 'found'; payment: Payment }
  /** The bank says there is none. That is not proof: it has been seen to find one later. */
  | { kind: 'absent' }
  | { kind: 'unknown'; text: string };

export type CancelOutcome =
  { kind: 'cancelled'; payment: Payment } | { kind: 'too_late' } | { kind: 'unknown'; text: string };

export interface Bank {
  registerRecipient(order: RegisterRecipientOrder): Promise<RegisterOutcome>;
  /** One request, and no retry of its own. */
  sendPayment(order: PaymentOrder): Promise<SendOutcome>;
  findPayment(paymentId: string): Promise<FindOutcome>;
  cancelPayment(paymentId: string): Promise<CancelOutcome>;
  /** Pounds for a dollar, on the side of the market that gives fewer. Null where the bank does not say. */
  findRate(): Promise<GbpPerUsd | null>;
}

/** A payment with what only a comparison of books asks for. What the bank does not say is null. */
export interface PaymentRecord extends Payment {
  /** What the recipient gets. */
  pays: Pence | null;
  createdAt: Date | null;
  changedAt: Date | null;
}

export type FindRecordOutcome =
  { kind: 'found'; payment: PaymentRecord } | { kind: 'absent' } | { kind: 'unknown'; text: string };

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

interface OpenCustomerOrder {
  /** The partner's name, and where its mail goes. */
  name: string;
  email: string;
  /** One for each of the two steps. Within a day, the same keys find what an earlier try has made. */
  idempotencyKeys: { customer: string; wallet: string };
}

/** No money of anybody's moves here: what is not clear has failed, and is tried again. */
type OpenCustomerOutcome = { kind: 'opened'; customerId: string; walletId: string } | { kind: 'failed'; text: string };

/** A bank where a partner can be made a customer, with a wallet of its own, and no questions asked: a sandbox. */
export interface BankCustomers {
  openCustomer(order: OpenCustomerOrder): Promise<OpenCustomerOutcome>;
}

interface VerificationOrder {
  /** The business's legal name, and where its mail goes. The bank knows one verification an email. */
  name: string;
  email: string;
  /** Where the bank sends the person who is done with its pages. */
  redirectUrl: string;
  /** Within a day, the same key finds what an earlier try has started. Later, the email does. */
  idempotencyKey: string;
}

interface VerificationDetails {
  id: string;
  /** Pages of the bank, http or https: where the business tells about itself, and where it accepts the terms. */
  continueUrl: string | null;
  termsUrl: string | null;
  /** The bank's own word, for people. */
  providerStatus: string;
  /** Why it was refused, or what is missing, in the bank's words to the business. */
  reasons: string[];
}

/** How far the bank is with a business. Approved is only what has its customer, without whom nothing can be opened. */
export type Verification = VerificationDetails &
  (
    | { state: 'approved'; customerId: string }
    | { state: 'action_required' | 'in_review' | 'rejected'; customerId: string | null }
  );

/** No money of anybody's moves here, either. */
export type StartVerificationOutcome =
  { kind: 'started'; verification: Verification } | { kind: 'failed'; text: string };

export type FindVerificationOutcome = { kind: 'found'; verification: Verification } | { kind: 'unknown'; text: string };

type OpenWalletOutcome = { kind: 'opened'; walletId: string } | { kind: 'failed'; text: string };

/** A bank that looks at a business before it makes it a customer. */
export interface BankVerification {
  startVerification(order: VerificationOrder): Promise<StartVerificationOutcome>;
  findVerification(verificationId: string): Promise<FindVerificationOutcome>;
  /** The wallet of a customer whose verification was approved. */
  openWallet(order: { customerId: string; idempotencyKey: string }): Promise<OpenWalletOutcome>;
}

interface FundingOrder {
  customerId: string;
  walletId: string;
  /** Within a day, the same key finds what an earlier try has opened. Later, the bank's own list does. */
  idempotencyKey: string;
}

/** Where pounds are sent so that they become USDC in a wallet. */
export interface BankAccountDetails {
  accountHolderName: string;
  sortCode: string;
  accountNumber: string;
  bankName: string | null;
  bankAddress: string | null;
}

/** No money moves here: what is not clear has failed, and is tried again. */
export type OpenAccountOutcome =
  { kind: 'opened'; sourceId: string; details: BankAccountDetails } | { kind: 'failed'; text: string };

export type OpenAddressOutcome =
  { kind: 'opened'; sourceId: string; chain: string; address: string } | { kind: 'failed'; text: string };

/** How a deposit comes: as pounds to an account, or as USDC to an address. */
export type FundingMethod = 'bank_transfer' | 'usdc';

/** Who sent it, as far as the bank says. For the partner's eyes, and for nobody's log. */
export interface DepositSender {
  name: string | null;
  accountLast4: string | null;
  /** Where USDC came from. */
  address: string | null;
  /** What the sender wrote with it. */
  reference: string | null;
}

/** What the bank says of a deposit at one moment. What it does not say is null, and may have been said before. */
export interface DepositEvent {
  depositId: string;
  /** The bank's own word, for people. */
  bankState: string;
  state:
    | 'arriving'
    /** In the wallet at the bank. */
    | 'processed'
    /** Sent back to where it came from: out of the wallet, if it was there. */
    | 'refunded'
    /** The bank itself is stuck, or said a word that we do not know: a person has to look. */
    | 'needs_attention';
  /** Whether the wallet has had the money, also where it was sent back since. */
  wasProcessed: boolean;
  sentPence: Pence | null;
  /** What the wallet gets, or was taken from it again, and what the bank kept of what was sent. */
  net: MicroUsdc | null;
  fee: MicroUsdc | null;
  sender: DepositSender | null;
}

/** One line of a source's list. */
export interface DepositLine {
  /** The bank's id of the line: where the list goes on. */
  id: string;
  at: Date | null;
  /** When it said something else last. */
  changedAt: Date | null;
  /** Whether the same line can say something else later. */
  mayChange: boolean;
  /** Null where it is about something that is no deposit. */
  event: DepositEvent | null;
}

export interface DepositPage {
  lines: DepositLine[];
  /** Where the next page begins; null after the last. */
  next: string | null;
}

export interface FundingSource {
  method: FundingMethod;
  customerId: string;
  sourceId: string;
}

/** A bank where a wallet can be topped up. */
export interface BankFunding {
  openAccount(order: FundingOrder): Promise<OpenAccountOutcome>;
  openAddress(order: FundingOrder): Promise<OpenAddressOutcome>;
  /** Newest first, a page at a time; null where the bank did not answer, or with something that can't be read. */
  listDeposits(source: FundingSource, after: string | null): Promise<DepositPage | null>;
}
