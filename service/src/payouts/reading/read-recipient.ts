import type { Archive } from '../../archive/index.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import type { PayoutRecipient } from '../model/order.ts';
import { isVisible } from '../model/payout.ts';
import { openRecipient } from '../records/encrypted-recipient.ts';
import { findAnyPayout } from '../records/payout-store.ts';
import { payoutNotFound } from './read-payouts.ts';

/** We lost them with a database that was restored, and the bank does not have them all. */
function recipientUnknown(): ApiError {
  return new ApiError({
    code: 'not_found',
    message:
      "This payout's recipient details are not known. Repeat its request with the same Idempotency-Key to add them.",
  });
}

/** The recipient of one of the caller's own payouts. It holds the whole account number, which no answer may show. */
export async function readRecipient(
  { encryptor, ...deps }: { calls: SingleCalls; archive: Archive; encryptor: Encryptor },
  of: PartnerContext,
  payoutId: string,
): Promise<PayoutRecipient> {
  const payout = await findAnyPayout(deps, of, payoutId);
  if (payout === null || !isVisible(payout)) throw payoutNotFound();
  if (payout.recipientEncrypted === null) throw recipientUnknown();
  return openRecipient(encryptor, payout);
}
