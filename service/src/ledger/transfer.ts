import type { PartnerContext } from '../platform/database/transaction.ts';

/**
 * USDC accounts hold micro-units, GBP accounts pence, and the two of what accrues millionths of a pound. docs/ledger.md says
 * what each is for.
 */
export type Account =
  | 'bank_wallet'
  | 'in_transit'
  | 'partner_receivable'
  | 'wallet'
  | 'held'
  | 'fx'
  | 'suspense'
  | 'exception_loss'
  | 'house_float'
  | 'float_in_transit'
  | 'receivable'
  | 'revenue'
  | 'credit_due'
  | 'cash'
  | 'accrued'
  | 'accrued_revenue';

/** One line of a transfer. A debit is positive, a credit negative. */
export interface Line {
  account: Account;
  amount: bigint;
  /** Where it has a reason of its own, beside that of its transfer: what is charged says what for. */
  reason?: string;
}

export interface Transfer extends PartnerContext {
  /** A UUIDv7: its instant is when the transfer was posted. */
  id: string;
  /** Why, in a word or two, for whoever reads the ledger: `payout.hold`. */
  reason: string;
  /** What it was posted for: the id of a payout, a deposit, a correction. */
  causeId: string;
  lines: readonly Line[];
}

export function debit(account: Account, amount: bigint): Line {
  return { account, amount };
}

export function credit(account: Account, amount: bigint): Line {
  return { account, amount: -amount };
}

/** A line of nothing says nothing: an exact rate leaves no difference to book. */
export function linesOf(...lines: readonly Line[]): Line[] {
  return lines.filter((line) => line.amount !== 0n);
}

/** The same lines, each with a reason of its own. */
export function because(reason: string, lines: readonly Line[]): Line[] {
  return lines.map((line) => ({ ...line, reason }));
}
