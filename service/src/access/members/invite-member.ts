import { recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import { inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { AdminActor } from '../actor.ts';
import { invitationMail } from '../mails/invitation.ts';
import { requireAdmin } from './require-admin.ts';
import type { MemberDeps } from './member-deps.ts';
import { countMembers, findMember, insertMember, lockPeople, mostMembers, type Member, type Role } from './store.ts';

interface Invited {
  /** In its normal form. */
  email: string;
  name: string | null;
  role: Role;
}

/** A new member, who is told so by a mail. The invitation needs no answer: whoever has the address can sign in by it. */
export async function inviteMember(deps: MemberDeps, actor: AdminActor, invited: Invited): Promise<Member> {
  const { pool, clock, outbox, dashboardUrl } = deps;
  const { partnerId, by, requestId: id } = actor;
  const { email, role } = invited;
  return inTransaction(pool, actor, async (tx) => {
    const { name: business, slug } = await lockPeople(tx, partnerId);
    await requireAdmin(tx, actor.sessionId);
    await refuseInvitation(tx, email);
    const createdAt = clock.now();
    await insertMember(tx, { ...invited, partnerId, invitedBy: by, createdAt });
    const done = { environment: null, action: 'member.invite', status: 201, detail: email };
    await recordActivity(tx, { id, partnerId, by, ...done });
    await recordSecurityEvent(tx, actor, done);
    // Who is a member elsewhere too is led to this account, not to the one that they were at last.
    const link = `${dashboardUrl}/sign-in?account=${slug}`;
    const message = invitationMail({ invitedBy: by, business, role, link });
    await outbox.post(tx, { kind: 'invitation', to: email, message });
    return { ...invited, last_login_at: null, created_at: createdAt };
  });
}

async function refuseInvitation(tx: Transaction, email: string): Promise<void> {
  if ((await findMember(tx, email)) !== null) throw refuse('is already a member');
  if ((await countMembers(tx)).all >= mostMembers)
    throw refuse(`cannot be added: the account already has ${mostMembers} members`);
}

function refuse(rule: string): ApiError {
  return new ApiError({
    code: 'invalid_request',
    message: 'The invitation was not sent. See details.fields.',
    details: { fields: [{ path: 'email', rule }] },
  });
}
