import type { PaymentFailure } from '../../banks/index.ts';
import type { Line } from '../../ledger/index.ts';
import type { MicroUsdc } from '../../money/amounts.ts';
import type { PayoutState } from './payout.ts';

/** One change of a payout: a row of its history and, where money moves, one transfer in the ledger. */
export interface TransitionStep {
  to: PayoutState;
  /** What happened, in a word of ours. */
  what: string;
  detail: string | null;
  lines: readonly Line[];
}

/** What we know now. Null, or left out, is what we knew before. */
export interface BankFacts {
  attempts?: number;
  bankPaymentId?: string | null;
  bankState?: string | null;
  bankDebited?: MicroUsdc | null;
  bankRefunded?: MicroUsdc | null;
  /** Kept only by a payout that failed or was returned. */
  failure?: { code: PaymentFailure; reason: string };
}

/** What a person has to look at. */
export interface OpenCase {
  kind: string;
  detail: string;
}

/** A money action's answer, in the partner's list of what was asked. */
export interface Activity {
  action: 'payout.create' | 'payout.cancel';
  /** The request that is answered, and with what. Null where nobody was there to be answered any more. */
  requestId: string | null;
  status: number | null;
  by: string;
}

/** Everything that one commit does with a payout. */
export interface Transition {
  at: Date;
  /** Who caused it: a key, the bank, or the worker that looked after it. */
  by: string;
  steps: readonly TransitionStep[];
  bankFacts: BankFacts;
  /** `keep` leaves the lease as it is; `close` says that nothing is left to be looked after. */
  schedule: { kind: 'keep' } | { kind: 'watch'; dueAt: Date } | { kind: 'close' };
  activity?: Activity;
  openCase?: OpenCase;
  /** What the bank took is so odd that the partner's payments stop, and in the end the rail's. */
  blockPartner?: boolean;
  /** The recipient's id at the bank, encrypted, to be known next time; or that the one we knew is no longer good. */
  recipientEncrypted?: Buffer;
  forgetRecipient?: boolean;
  /** The idempotency key stands for nothing again. */
  freeKey?: boolean;
}
