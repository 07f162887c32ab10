import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import type { AdminActor } from '../actor.ts';
import { requireAdmin } from './require-admin.ts';
import { refuseLastAdmin } from './last-admin.ts';
import type { MemberDeps } from './member-deps.ts';
import { findMember, lockPeople, setRole, type Member, type Role } from './store.ts';

/** Null where there is no such member. */
export async function changeRole(
  { pool }: Pick<MemberDeps, 'pool'>,
  actor: AdminActor,
  { email, role }: { email: string; role: Role },
): Promise<Member | null> {
  return inTransaction(pool, actor, async (tx) => {
    await lockPeople(tx, actor.partnerId);
    const member = await findMember(tx, email);
    if (member === null) return null;
    if (role !== 'admin') await refuseLastAdmin(tx, member);
    await requireAdmin(tx, actor.sessionId);
    await setRole(tx, email, role);
    const { partnerId, by, requestId: id } = actor;
    const done = { environment: null, action: 'member.change', status: 200, detail: email };
    await recordActivity(tx, { id, partnerId, by, ...done });
    await recordSecurityEvent(tx, actor, done);
    return { ...member, role };
  });
}
