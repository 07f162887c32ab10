import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';

/** An attempt of which nothing was sent, and the round of the bank's key in which it is tried again. */
export interface Retry {
  attemptPayoutId: string;
  attemptRevision: number;
  bankRound: number;
  roundBeganAt: Date;
}

export type ResolvedOrder =
  /** The key stands for a payout, or for another body. */
  | { kind: 'exists' }
  /** The key stands for nothing any more. */
  | { kind: 'free' }
  /** The round is that of the last attempt. A new one would pay again what the bank has already, if it has it. */
  | { kind: 'retry'; retry: Retry; needsNewRound: boolean; claimedAt: Date | null }
  /** A new round would pay again what a person is looking at. */
  | { kind: 'in_question' };

export const resolveOrderCall: Call = {
  name: 'resolve_used_order',
  text: `select * from kelpie.resolve_used_order(
    of_partner => $1, of_environment => $2, of_order_id => $3, of_fingerprint => $4, at => $5)`,
};

interface ResolvedRow {
  outcome: ResolvedOrder['kind'];
  attempt_payout_id: string;
  attempt_revision: number;
  bank_round: number;
  round_began_at: Date;
  needs_new_round: boolean;
  claimed_at: Date | null;
}

interface UsedOrder extends PartnerContext {
  orderId: string;
  fingerprint: Buffer;
  at: Date;
}

/** What a key that was used before stands for. It only reads: the attempt to take over is claimed when it is created. */
export async function resolveOrder(calls: SingleCalls, order: UsedOrder): Promise<ResolvedOrder> {
  const [row] = await calls.call<ResolvedRow>(resolveOrderCall, [
    order.partnerId,
    order.environment,
    order.orderId,
    order.fingerprint,
    order.at,
  ]);
  if (row === undefined) throw new Error('the database returned no row');
  if (row.outcome !== 'retry') return { kind: row.outcome };
  const retry = {
    attemptPayoutId: row.attempt_payout_id,
    attemptRevision: row.attempt_revision,
    bankRound: row.bank_round,
    roundBeganAt: row.round_began_at,
  };
  return { kind: 'retry', retry, needsNewRound: row.needs_new_round, claimedAt: row.claimed_at };
}
