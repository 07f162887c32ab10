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
  | { kind: 'started'; verification: Verification }
  | { kind: 'failed'; text: string };

export type FindVerificationOutcome = { kind: 'found'; verification: Verification } | { kind: 'unknown'; text: string };

type OpenWalletOutcome = { kind: 'opened'; walletId: string } | { kind: 'failed'; text: string };

/** A bank that looks at a business before it makes it a customer. */
export interface BankVerification {
  startVerification(order: VerificationOrder): Promise<StartVerificationOutcome>;
  findVerification(verificationId: string): Promise<FindVerificationOutcome>;
  /** The wallet of a customer whose verification was approved. */
  openWallet(order: { customerId: string; idempotencyKey: string }): Promise<OpenWalletOutcome>;
}
