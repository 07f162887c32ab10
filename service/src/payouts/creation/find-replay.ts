import type { KeyedDigest } from '../../platform/keyed-digest.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { fingerprintOf, mismatchedFields, orderIdOf, type PayoutOrder } from '../model/order.ts';
import { isVisible, type VisiblePayout } from '../model/payout.ts';
import { openRecipient } from '../records/encrypted-recipient.ts';
import { findClaim, findPayout } from '../records/payout-store.ts';
import { waitForPayout } from '../reading/wait-for-payout.ts';
import { reasonOf } from './not-created.ts';

interface Repeated extends PartnerContext {
  idempotencyKey: string;
  order: PayoutOrder;
}

interface ReplayDeps {
  calls: SingleCalls;
  bodyDigest: KeyedDigest;
  encryptor: Encryptor;
}

export type Replay =
  /** The key stands for nothing. */
  | { kind: 'none' }
  | { kind: 'payout'; payout: VisiblePayout }
  /** The last try at it certainly sent nothing. */
  | { kind: 'not_created'; reason: ReturnType<typeof reasonOf> }
  /** The bank refused its recipient while we waited: nothing was sent, and the key is free again. */
  | { kind: 'recipient_rejected' };

/**
 * What this key stands for already, as it is now. Waits for a payout whose bank is just being asked. Another body under
 * the same key is refused.
 */
export async function findReplay(
  deps: ReplayDeps,
  { order, idempotencyKey, ...of }: Repeated,
  startedAt: number,
): Promise<Replay> {
  const orderId = orderIdOf(of, idempotencyKey);
  const claim = await findClaim(deps.calls, of, orderId);
  if (claim === null) return { kind: 'none' };
  if (!fingerprintOf(deps.bodyDigest, order).equals(claim.fingerprint))
    throw await reused(deps, { ...of, id: claim.payoutId }, order);
  const payout = await waitForPayout(deps, { ...of, id: claim.payoutId }, startedAt);
  if (payout === null) throw new Error('a key stands for a payout that is not there');
  if (isVisible(payout)) return { kind: 'payout', payout };
  const isFree = (await findClaim(deps.calls, of, orderId)) === null;
  return isFree ? { kind: 'recipient_rejected' } : { kind: 'not_created', reason: reasonOf(payout) };
}

/** Says in which fields the bodies differ, and of neither what they hold. */
async function reused(
  { calls, encryptor }: ReplayDeps,
  { id, ...of }: PartnerContext & { id: string },
  order: PayoutOrder,
): Promise<ApiError> {
  const payout = await findPayout(calls, of, id);
  if (payout === null) throw new Error('a key stands for a payout that is not there');
  const { amount, reference } = payout;
  const first: PayoutOrder = { amount, country: 'GB', reference, recipient: openRecipient(encryptor, payout) };
  return new ApiError({
    code: 'idempotency_key_reused',
    message: 'This Idempotency-Key was already used with a different body. Use a new key for a new payout.',
    details: { ...(isVisible(payout) ? { payout_id: payout.id } : {}), mismatched: mismatchedFields(first, order) },
  });
}
