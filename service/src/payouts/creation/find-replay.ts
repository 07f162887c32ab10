import type { ApiError } from '../../platform/api-error.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { fingerprintOf, mismatchedFields, orderIdOf, type PayoutOrder } from '../model/order.ts';
import { isVisible, type VisiblePayout } from '../model/payout.ts';
import { openRecipient } from '../records/encrypted-recipient.ts';
import { findAnyPayout, findClaim, findPayout } from '../records/payout-store.ts';
import { waitForPayout } from '../reading/wait-for-payout.ts';
import { adoptRecovered, type AdoptDeps, type Repeated } from './adopt-recovered.ts';
import { keyReused, keyTooOld } from './key-reused.ts';
import { reasonOf } from './not-created.ts';

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
export async function findReplay(deps: AdoptDeps, request: Repeated, startedAt: number): Promise<Replay> {
  const { order, idempotencyKey, partnerId, environment } = request;
  const of = { partnerId, environment };
  const orderId = orderIdOf(of, idempotencyKey);
  const claim = await findClaim(deps.calls, of, orderId);
  if (claim === null) return { kind: 'none' };
  if (claim.fingerprint.length === 0) {
    await adoptRecovered(deps, request, { orderId, payoutId: claim.payoutId });
    return findReplay(deps, request, startedAt);
  }
  const { newest, earlier } = deps.bodyDigest;
  if (![newest, ...earlier].some((digest) => fingerprintOf(digest, order).equals(claim.fingerprint)))
    throw await reused(deps, { ...of, id: claim.payoutId }, order);
  const payout = await waitForPayout(deps, { ...of, id: claim.payoutId }, startedAt);
  if (payout === null) throw new Error('a key stands for a payout that is not there');
  if (isVisible(payout)) return { kind: 'payout', payout };
  // Its attempt can no longer be taken over.
  if (deps.archive.mayHold(payout.id) && (await findPayout(deps.calls, of, payout.id)) === null) throw keyTooOld();
  const isFree = (await findClaim(deps.calls, of, orderId)) === null;
  return isFree ? { kind: 'recipient_rejected' } : { kind: 'not_created', reason: reasonOf(payout) };
}

/** Says in which fields the bodies differ, and of neither what they hold. */
async function reused(
  { encryptor, ...deps }: Pick<AdoptDeps, 'calls' | 'archive' | 'encryptor'>,
  { id, ...of }: PartnerContext & { id: string },
  order: PayoutOrder,
): Promise<ApiError> {
  const payout = await findAnyPayout(deps, of, id);
  if (payout === null) throw new Error('a key stands for a payout that is not there');
  const { amount, reference, recipientEncrypted } = payout;
  // It was erased, so there is nothing to compare with.
  if (recipientEncrypted === null) return keyReused(payout, []);
  const first: PayoutOrder = { amount, country: 'GB', reference, recipient: openRecipient(encryptor, payout) };
  return keyReused(payout, mismatchedFields(first, order));
}
