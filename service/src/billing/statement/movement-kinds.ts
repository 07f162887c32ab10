/** What a movement of the wallet was, in the words of a statement. More may come: `other` is what this version has no word for. */
export type MovementKind =
  | 'hold'
  | 'release'
  | 'refund'
  | 'return'
  | 'deposit'
  | 'deposit_reversal'
  | 'sandbox_float'
  | 'sandbox_reset'
  | 'correction'
  | 'other';

/** By the reason that stands in the ledger. */
const kinds = new Map<string, MovementKind>([
  ['payout.hold', 'hold'],
  // The bank never took it.
  ['payout.rejected', 'release'],
  ['payout.not_created', 'release'],
  ['payout.released', 'release'],
  // The bank took it, and gave it back.
  ['payout.refunded', 'refund'],
  ['payout.cancelled', 'refund'],
  ['payout.returned', 'return'],
  ['deposit.credited', 'deposit'],
  ['sandbox.float', 'sandbox_float'],
  ['sandbox.closed', 'sandbox_reset'],
  ['deposit.reversed', 'deposit_reversal'],
  ['correction', 'correction'],
]);

export function movementKind(reason: string): MovementKind {
  return kinds.get(reason) ?? 'other';
}
