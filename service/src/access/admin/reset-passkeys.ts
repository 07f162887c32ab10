import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { NotifyAdmins } from '../../platform/acts/confirmed-act.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { passkeysResetMail } from '../mails/passkey-change.ts';
import { lockPeople } from '../members/store.ts';
import { resetByProposal } from '../passkeys/store.ts';

interface Reset {
  partnerId: string;
  email: string;
  proposalId: string;
}

const by = 'Kelpie support';

/**
 * Removes all passkeys of a member, and emails them and every admin. Needs a transaction in the partner's context. Returns
 * false if there is no such member. The database refuses it unless another operator proposed it.
 */
export async function resetPasskeys(
  tx: Transaction,
  { clock, notifyAdmins }: { clock: Clock; notifyAdmins: NotifyAdmins },
  { partnerId, email, proposalId }: Reset,
): Promise<boolean> {
  const { name: business } = await lockPeople(tx, partnerId);
  const at = clock.now();
  await notifyAdmins(tx, {
    kind: 'passkeys-reset',
    message: passkeysResetMail({ business, email, at }),
    also: [email],
  });
  if (!(await resetByProposal(tx, { proposalId, partnerId, at }))) return false;
  const done = { environment: null, action: 'member.reset_passkeys', status: 200, detail: email };
  const actor = { partnerId, by, requestId: newId(clock), origin: { network: null, browser: null } };
  await recordActivity(tx, { id: actor.requestId, partnerId, by, ...done });
  await recordSecurityEvent(tx, actor, done);
  return true;
}
