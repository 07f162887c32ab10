import type { MicroUsdc, Pence } from '../../money/amounts.ts';

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
  | { kind: 'opened'; sourceId: string; details: BankAccountDetails }
  | { kind: 'failed'; text: string };

export type OpenAddressOutcome =
  | { kind: 'opened'; sourceId: string; chain: string; address: string }
  | { kind: 'failed'; text: string };

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
