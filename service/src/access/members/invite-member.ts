import { countSecurityEvents, recordActivity, recordSecurityEvent } from '../../activity/index.ts';
import type { ActToConfirm } from '../../platform/acts/confirmed-act.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { AdminActor } from '../actor.ts';
import { refuseInactive } from '../inactive-partner.ts';
import { invitationMail } from '../mails/invitation.ts';
import { memberInvitedMail } from '../mails/member-change.ts';
import type { MemberDeps } from './member-deps.ts';
import { countMembers, findMember, insertMember, lockPeople, mostMembers, type Member, type Role } from './store.ts';

interface Invited {
  /** In its normal form. */
  email: string;
  name: string | null;
  role: Role;
}

interface PlannedInvitation {
  business: string;
  slug: string;
  toConfirm: ActToConfirm | null;
}

const dayMs = 24 * 60 * 60_000;

/** Anybody can open an account: before we know the business, it has no more than a team that begins needs. */
async function refuseMany(
  tx: Transaction,
  { clock, unverifiedInvitationsPerDay: most }: Pick<MemberDeps, 'clock' | 'unverifiedInvitationsPerDay'>,
  partnerId: string,
): Promise<void> {
  const since = new Date(clock.now().getTime() - dayMs);
  if ((await countSecurityEvents(tx, { partnerId, action: 'member.invite', since, most })) < most) return;
  throw new ApiError({
    code: 'rate_limited',
    message: `Before your business is verified you can invite ${most} people per day. Verify it, or retry tomorrow.`,
    retryAfterSeconds: dayMs / 1_000,
  });
}

async function planInvitation(
  tx: Transaction,
  deps: Pick<MemberDeps, 'clock' | 'unverifiedInvitationsPerDay'>,
  { partnerId, invited }: { partnerId: string; invited: Invited },
): Promise<PlannedInvitation> {
  const { name: business, slug, status, verification_status: verification } = await lockPeople(tx, partnerId);
  refuseInactive(status);
  if (verification !== 'approved') await refuseMany(tx, deps, partnerId);
  const { email, name, role } = invited;
  await refuseInvitation(tx, email);
  const toConfirm = {
    act: JSON.stringify(['member.invite', email, name, role]),
    business,
    does: `invite ${email} to ${business} as an admin`,
    facts: [['Member', email], ...(name === null ? [] : [['Name', name] as const]), ['Role', role]] as const,
  };
  return { business, slug, toConfirm: role === 'admin' ? toConfirm : null };
}

/**
 * A new member, who is told so by a mail. The invitation needs no answer: who has the address can sign in by it. An admin is
 * confirmed by a code, because an admin can pay.
 */
export async function inviteMember(
  deps: MemberDeps,
  actor: AdminActor,
  { code, ...invited }: Invited & { code: string | undefined },
): Promise<Member> {
  const { clock, outbox, dashboardUrl, inConfirmedTransaction, notifyAdmins } = deps;
  const { partnerId, by, requestId: id } = actor;
  const { email, role } = invited;
  const plan = async (tx: Transaction) => planInvitation(tx, deps, { partnerId, invited });
  return inConfirmedTransaction(actor, { code, plan }, actor, async (tx, { business, slug }) => {
    const createdAt = clock.now();
    const notice = memberInvitedMail({ business, email, role, by, at: createdAt, dashboardUrl });
    await notifyAdmins(tx, { kind: 'member-invited', message: notice });
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
