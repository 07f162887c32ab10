import { recordActivity } from '../activity/index.ts';
import { ApiError } from '../platform/api-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { Pool } from '../platform/database/pool.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import type { MailLinks } from '../platform/mail/mail-links.ts';
import { confirmAddresses, lockAddresses } from './store.ts';

export interface ConfirmAddressDeps {
  pool: Pool;
  clock: Clock;
  addressLinks: Pick<MailLinks, 'read'>;
}

const badLink = {
  code: 'invalid_code',
  message: 'This link is invalid, has expired, or is for an address that was replaced. Ask an admin to send another.',
} as const;

/** Confirms the address that the link was sent to, for whichever purposes the account has it now. Safe to repeat. */
export async function confirmAddress(
  { pool, clock, addressLinks }: ConfirmAddressDeps,
  { token, requestId }: { token: string; requestId: string },
): Promise<{ business: string }> {
  const at = clock.now();
  const link = addressLinks.read(token, at);
  if (link === null) throw new ApiError(badLink);
  const { partnerId, isFor } = link;
  return inTransaction(pool, { partnerId, environment: 'sandbox' }, async (tx) => {
    const { name: business, contact_email: contact, billing_email: billing } = await lockAddresses(tx, partnerId);
    const email = [contact, billing].find((one) => one !== null && isFor(one));
    if (email === undefined || email === null) throw new ApiError(badLink);
    if (await confirmAddresses(tx, { partnerId, email, at })) {
      const done = { action: 'account.confirm_address', status: 200, by: email, detail: null };
      await recordActivity(tx, { ...done, id: requestId, partnerId, environment: 'sandbox' });
    }
    return { business };
  });
}
