import type { FundingMethod } from '../banks/index.ts';
import type { MicroUsdc, Pence } from '../money/amounts.ts';
import type { GbpPerUsd } from '../money/rates.ts';

export type DepositState =
  /** The bank has it, or is about to; the wallet has nothing of it yet. */
  | 'pending'
  | 'credited'
  /** Sent back before it was credited. */
  | 'refunded'
  /** Taken back after it was credited. */
  | 'reversed';

/** What the bank has said of a deposit so far. */
interface DepositFacts {
  bankState: string;
  sentPence: Pence | null;
  /** What it brings to the wallet. */
  net: MicroUsdc | null;
  fee: MicroUsdc | null;
  rate: GbpPerUsd | null;
  /** Why a person has to look at it; null where nobody has to. */
  trouble: string | null;
}

/** A deposit as we know it. */
export interface KnownDeposit extends DepositFacts {
  id: string;
  state: DepositState;
  revision: number;
  hasSender: boolean;
}

/** What a partner is shown of one. */
export interface ShownDeposit {
  id: string;
  method: FundingMethod;
  state: DepositState;
  sentPence: Pence | null;
  net: MicroUsdc | null;
  fee: MicroUsdc | null;
  rate: GbpPerUsd | null;
  reversed: MicroUsdc | null;
  senderEncrypted: Buffer | null;
  creditedAt: Date | null;
  updatedAt: Date;
}
