import type { KeyedDigest } from '../../platform/keyed-digest.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { mismatchedFields, orderIdOf, type PayoutOrder } from '../order.ts';
import { isVisible, type VisiblePayout } from '../payout.ts';
import { findClaim, findPayout } from '../store.ts';
import { waitForPayout } from './wait-for-payout.ts';

interface Repeated extends PartnerContext {
  idempotencyKey: string;
  order: PayoutOrder;
}

export type Replay =
  /** The key stands for nothing. */
  | { kind: 'none' }
  | { kind: 'payout'; payout: VisiblePayout }
  /** The last try at it certainly sent nothing. */
  | { kind: 'not_created' }
  /** The bank refused its recipient while we waited: nothing was sent, and the key is free again. */
  | { kind: 'recipient_rejected' };

/**
 * What this key stands for already, as it is now. Waits for a payout whose bank is just being asked. Another body under
 * the same key is refused.
 */
export async function findReplay(
  parts: { calls: SingleCalls; bodyDigest: KeyedDigest },
  { order, idempotencyKey, ...of }: Repeated,
  startedAt: number,
): Promise<Replay> {
  const orderId = orderIdOf(of, idempotencyKey);
  const claim = await findClaim(parts.calls, of, orderId);
  if (claim === null) return { kind: 'none' };
  const mismatched = mismatchedFields(parts.bodyDigest, order, claim.fingerprint);
  if (mismatched.length > 0) throw await reused(parts.calls, of, claim.payoutId, mismatched);
  const payout = await waitForPayout(parts, { ...of, id: claim.payoutId }, startedAt);
  if (payout === null) throw new Error('a key stands for a payout that is not there');
  if (isVisible(payout)) return { kind: 'payout', payout };
  const isFree = (await findClaim(parts.calls, of, orderId)) === null;
  return { kind: isFree ? 'recipient_rejected' : 'not_created' };
}

async function reused(
  calls: SingleCalls,
  of: PartnerContext,
  payoutId: string,
  mismatched: string[],
): Promise<Refusal> {
  const payout = await findPayout(calls, of, payoutId);
  return new Refusal({
    code: 'idempotency_key_reused',
    message: 'This Idempotency-Key was used with another body. Use a new key for a new payout.',
    details: { ...(payout !== null && isVisible(payout) ? { payout_id: payout.id } : {}), mismatched },
  });
}
