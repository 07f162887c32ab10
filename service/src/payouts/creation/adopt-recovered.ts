import type { Archive } from '../../archive/index.ts';
import { bankReference } from '../../banks/index.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import type { VersionedDigest } from '../../platform/keyed-digest.ts';
import { bankOf } from '../model/banks.ts';
import { accountIndexOf, fallbackBankReference, fingerprintOf, type PayoutOrder } from '../model/order.ts';
import type { Payout } from '../model/payout.ts';
import { compareRecipient } from '../lifecycle/compare-recipient.ts';
import type { PayoutDeps } from '../lifecycle/deps.ts';
import { encryptRecipient } from '../records/encrypted-recipient.ts';
import { adoptRecoveredPayout } from '../records/recovered-store.ts';
import { findPayout } from '../records/payout-store.ts';
import { inUse } from '../reading/wait-for-payout.ts';
import { keyReused } from './key-reused.ts';

export interface AdoptDeps extends PayoutDeps {
  /** Where a key that was used long ago finds its payout. */
  archive: Archive;
  accountDigest: VersionedDigest;
  bodyDigest: VersionedDigest;
}

/** A request whose key has been used before. */
export interface Repeated extends PartnerContext {
  by: string;
  idempotencyKey: string;
  order: PayoutOrder;
}

/**
 * The first request whose key gives the order id of a payout that was rebuilt from the bank's record, with equal amount and
 * account, makes it that request's payout. Nothing is sent. Another amount or account is another body under the same key.
 */
export async function adoptRecovered(
  deps: AdoptDeps,
  request: Repeated,
  { orderId, payoutId }: { orderId: string; payoutId: string },
): Promise<void> {
  const { partnerId, environment, order, idempotencyKey, by } = request;
  const payout = await findPayout(deps.calls, { partnerId, environment }, payoutId);
  if (payout === null) throw new Error('a key stands for a payout that is not there');
  const compared = await compareOrder(deps, payout, order);
  if (compared === 'unknown') throw inUse();
  if (compared.length > 0) throw keyReused(payout, compared);
  const { recipient, reference } = order;
  // Where another request was quicker, its order is what the caller is compared with next.
  await adoptRecoveredPayout(deps.calls, payout, {
    idempotencyKey,
    fingerprint: fingerprintOf(deps.bodyDigest.newest, order),
    reference,
    bankReference: bankReference(reference ?? '') ?? fallbackBankReference(orderId),
    recipientName: `${recipient.firstName} ${recipient.lastName}`,
    accountLast4: recipient.accountNumber.slice(-4),
    recipientEncrypted: encryptRecipient(deps.encryptor, payout.id, recipient),
    accountIndex: accountIndexOf(deps.accountDigest.newest, recipient),
    by,
    at: deps.clock.now(),
  });
}

/** The fields of the order that are not those of the payment, as far as the bank knows them. */
async function compareOrder(
  deps: AdoptDeps,
  payout: Payout,
  { amount, recipient }: PayoutOrder,
): Promise<string[] | 'unknown'> {
  if (amount !== payout.amount) return ['amount_gbp'];
  // Compared first, so that a wrong account is not registered at the bank.
  const { accountNumber } = recipient;
  if (!accountNumber.endsWith(payout.accountLast4 ?? '')) return ['recipient.bank.account_number'];
  const found = await bankOf(deps.banks, payout.rail).findRecord?.(payout.bankPaymentId ?? '');
  if (found?.kind !== 'found' || found.payment.recipientId === null) return 'unknown';
  const { recipientId } = found.payment;
  const compared = await compareRecipient(deps, payout, { recipient, recipientId });
  if (compared === 'unknown') return compared;
  return compared === 'same' ? [] : ['recipient'];
}
