import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
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

/** How a partner sees an operator: which person acted is in the audit log. */
const by = 'Kelpie support';

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
  const message = memberRestoredMail({ business, email, by, at, dashboardUrl });
  await notifyAdmins(tx, { kind: 'member-restored', message, also: [email] });
  if (!(await restoreAdmin(tx, { proposalId, partnerId, email, at }))) return false;
  const done = { environment: null, action: 'member.restore', status: 200, detail: email };
  const actor = { partnerId, by, requestId: newId(clock), origin: { network: null, browser: null } };
  await recordActivity(tx, { id: actor.requestId, partnerId, by, ...done });
  await recordSecurityEvent(tx, actor, done);
  return true;
}
