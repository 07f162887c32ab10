import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import type { Pool } from '../../platform/database/pool.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { Origin } from '../../platform/origin.ts';
import { liveFrozenMail } from '../mails/live-frozen.ts';
import { listAdminEmails, lockPeople } from '../members/store.ts';
import type { MailLinks } from '../../platform/mail/mail-links.ts';
import { addFreeze } from './store.ts';

export interface FreezeDeps {
  pool: Pool;
  clock: Clock;
  links: Pick<MailLinks, 'read'>;
  notifyAdmins: NotifyAdmins;
  dashboardUrl: string;
}

const badLink = {
  code: 'invalid_code',
  message: 'This link is invalid or has expired. Use a newer email, or contact support.',
} as const;

const noAdmin = {
  code: 'api_key_required',
  message: 'Only an admin can freeze this account, and you are not one now.',
  contactSupport: true,
} as const;

/** Under the lock of people: whether this person is an admin is decided once, also while somebody removes them. */
async function findAdmin(tx: Transaction, isFor: (email: string) => boolean): Promise<string> {
  const email = (await listAdminEmails(tx)).find(isFor);
  if (email === undefined) throw new ApiError(noAdmin);
  return email;
}

/** Freezes live for the admin whom the link was sent to. Safe to repeat: admins are emailed the first time. */
export async function freezeLive(
  { pool, clock, links, notifyAdmins, dashboardUrl }: FreezeDeps,
  { token, requestId, origin }: { token: string; requestId: string; origin: Origin },
): Promise<{ business: string }> {
  const at = clock.now();
  const link = links.read(token, at);
  if (link === null) throw new ApiError(badLink);
  const live = { partnerId: link.partnerId, environment: 'live' } as const;
  return inTransaction(pool, live, async (tx) => {
    const { name: business } = await lockPeople(tx, live.partnerId);
    const by = await findAdmin(tx, link.isFor);
    if (await addFreeze(tx, { partnerId: live.partnerId, email: by, at })) {
      const done = { ...live, action: 'account.freeze', status: 200, by, detail: null };
      await recordActivity(tx, { ...done, id: requestId });
      await recordSecurityEvent(tx, { ...live, by, requestId, origin }, done);
      await notifyAdmins(tx, { kind: 'live-frozen', message: liveFrozenMail({ business, by, at, dashboardUrl }) });
    }
    return { business };
  });
}
