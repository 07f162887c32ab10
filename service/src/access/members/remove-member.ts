import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import type { AdminActor } from '../actor.ts';
import { requireAdmin } from './require-admin.ts';
import { refuseLastAdmin } from './last-admin.ts';
import type { MemberDeps } from './member-deps.ts';
import { deleteMember, findMember, lockPeople } from './store.ts';

/** Ends all their sessions with it. False where there is no such member. */
export async function removeMember(
  { pool, clock }: Pick<MemberDeps, 'pool' | 'clock'>,
  actor: AdminActor,
  email: string,
): Promise<boolean> {
  return inTransaction(pool, actor, async (tx) => {
    await lockPeople(tx, actor.partnerId);
    const member = await findMember(tx, email);
    if (member === null) return false;
    // Before it looks at who asks: of two admins who remove each other, the second is told that the first is the last.
    await refuseLastAdmin(tx, member);
    await requireAdmin(tx, actor.sessionId);
    await deleteMember(tx, email, clock.now());
    const { partnerId, by, requestId: id } = actor;
    const done = { environment: null, action: 'member.remove', status: 200, detail: email };
    await recordActivity(tx, { id, partnerId, by, ...done });
    await recordSecurityEvent(tx, actor, done);
    return true;
  });
}
