import type { Clock } from '../../platform/clock.ts';
import type { NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { memberRestoredMail } from '../mails/member-change.ts';
import { lockPeople, restoreAdmin } from '../members/store.ts';

interface RestoreDeps {
  clock: Clock;
  notifyAdmins: NotifyAdmins;
  dashboardUrl: string;
}

interface Restored {
  partnerId: string;
  email: string;
  proposalId: string;
}

/**
 * Makes an address an admin again and emails it and every admin. Needs a transaction in the partner's context. Returns false
 * if it is one already. The database refuses it unless another operator proposed it.
 */
export async function restoreMember(
  tx: Transaction,
  { clock, notifyAdmins, dashboardUrl }: RestoreDeps,
  { partnerId, email, proposalId }: Restored,
): Promise<boolean> {
  const { name: business } = await lockPeople(tx, partnerId);
  const at = clock.now();
  const message = memberRestoredMail({ business, email, by: 'Kelpie support', at, dashboardUrl });
  await notifyAdmins(tx, { kind: 'member-restored', message, also: [email] });
  return restoreAdmin(tx, { proposalId, partnerId, at });
}
