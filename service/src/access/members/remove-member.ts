import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import type { ActToConfirm } from '../../platform/acts/confirmed-act.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { AdminActor } from '../actor.ts';
import { memberRemovedMail } from '../mails/member-change.ts';
import { getMember } from './get-member.ts';
import { refuseLastAdmin } from './last-admin.ts';
import type { MemberDeps } from './member-deps.ts';
import { deleteMember, lockPeople, type Member } from './store.ts';

interface PlannedRemoval {
  business: string;
  member: Member;
  toConfirm: ActToConfirm;
}

async function planRemoval(tx: Transaction, partnerId: string, email: string): Promise<PlannedRemoval> {
  const { name: business } = await lockPeople(tx, partnerId);
  const member = await getMember(tx, email);
  // Before it looks at who asks: of two admins who remove each other, the second is told that the first is the last.
  await refuseLastAdmin(tx, member);
  const toConfirm = {
    act: JSON.stringify(['member.remove', email]),
    business,
    does: `remove ${email} from ${business}`,
    facts: [
      ['Member', email],
      ['Role', member.role],
    ] as const,
  };
  return { business, member, toConfirm };
}

/** Ends all their sessions with it. */
export async function removeMember(
  { clock, dashboardUrl, inConfirmedTransaction, notifyAdmins }: MemberDeps,
  actor: AdminActor,
  { email, code }: { email: string; code: string | undefined },
): Promise<void> {
  const { partnerId, by, requestId: id } = actor;
  const plan = async (tx: Transaction) => planRemoval(tx, partnerId, email);
  await inConfirmedTransaction(actor, { code, plan }, actor, async (tx, { business, member: { role } }) => {
    const at = clock.now();
    const message = memberRemovedMail({ business, email, role, by, at, dashboardUrl });
    await notifyAdmins(tx, { kind: 'member-removed', message, also: [email] });
    await deleteMember(tx, email, at);
    const done = { environment: null, action: 'member.remove', status: 200, detail: email };
    await recordActivity(tx, { id, partnerId, by, ...done });
    await recordSecurityEvent(tx, actor, done);
  });
}
