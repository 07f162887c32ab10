import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import type { ActToConfirm } from '../../platform/acts/confirmed-act.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import type { AdminActor } from '../actor.ts';
import { refuseInactive } from '../inactive-partner.ts';
import { roleChangedMail } from '../mails/member-change.ts';
import { getMember } from './get-member.ts';
import { refuseLastAdmin } from './last-admin.ts';
import type { MemberDeps } from './member-deps.ts';
import { lockPeople, setRole, type Member, type Role } from './store.ts';

interface RoleChange {
  email: string;
  role: Role;
}

const as: Readonly<Record<Role, string>> = { admin: 'an admin', viewer: 'a viewer' };

interface PlannedChange {
  business: string;
  member: Member;
  toConfirm: ActToConfirm | null;
}

async function planChange(tx: Transaction, partnerId: string, { email, role }: RoleChange): Promise<PlannedChange> {
  const { name: business, status } = await lockPeople(tx, partnerId);
  const member = await getMember(tx, email);
  if (member.role === role) return { business, member, toConfirm: null };
  if (role === 'admin') refuseInactive(status);
  else await refuseLastAdmin(tx, member);
  const toConfirm = {
    act: JSON.stringify(['member.change', email, member.role, role]),
    business,
    does: `make ${email} ${as[role]} of ${business}`,
    facts: [
      ['Member', email],
      ['Role', `${role} (now: ${member.role})`],
    ] as const,
  };
  return { business, member, toConfirm };
}

export async function changeRole(
  { clock, dashboardUrl, inConfirmedTransaction, notifyAdmins }: MemberDeps,
  actor: AdminActor,
  { code, ...change }: RoleChange & { code: string | undefined },
): Promise<Member> {
  const { email, role: to } = change;
  const { partnerId, by, requestId: id } = actor;
  const plan = async (tx: Transaction) => planChange(tx, partnerId, change);
  return inConfirmedTransaction(actor, { code, plan }, actor, async (tx, { business, member }) => {
    if (member.role !== to) {
      const changed = { business, email, by, at: clock.now(), dashboardUrl, from: member.role, to };
      await notifyAdmins(tx, { kind: 'role-changed', message: roleChangedMail(changed), also: [email] });
      await setRole(tx, email, to);
    }
    const done = { environment: null, action: 'member.change', status: 200, detail: email };
    await recordActivity(tx, { id, partnerId, by, ...done });
    await recordSecurityEvent(tx, actor, done);
    return { ...member, role: to };
  });
}
