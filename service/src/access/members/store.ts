import type { Call, SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';
import { requireOwnMember, sealMember } from '../sealed-rows.ts';

export type Role = 'admin' | 'viewer';

export interface Member {
  email: string;
  name: string | null;
  role: Role;
  last_login_at: Date | null;
  created_at: Date;
}

/** More people than a partner has members. */
export const mostMembers = 200;

const listMembersCall: Call = { name: 'list_members', text: 'select * from kelpie.list_members($1, $2, $3)' };

/** Those who came first come first. */
export async function listMembers(calls: SingleCalls, of: PartnerContext): Promise<Member[]> {
  return calls.call<Member>(listMembersCall, [of.partnerId, of.environment, mostMembers]);
}

interface LockedBusiness {
  name: string;
  slug: string;
  status: string;
  verification_status: string;
}

/**
 * Changes to a partner's people come one after the other: else two admins could each remove the other as not the last. Says
 * what the business is called.
 */
export async function lockPeople(tx: Transaction, partnerId: string): Promise<LockedBusiness> {
  const { rows } = await tx.query<LockedBusiness>(
    'select name, slug, status, verification_status from kelpie.partners where id = $1 for no key update',
    [partnerId],
  );
  if (rows[0] === undefined) throw new Error('a transaction of no partner');
  return rows[0];
}

/** The partner of this transaction. */
export async function getCurrentPartner(tx: Transaction): Promise<string> {
  const { rows } = await tx.query<{ id: string | null }>('select kelpie.current_partner() as id');
  const id = rows[0]?.id ?? null;
  if (id === null) throw new Error('a transaction of no partner');
  return id;
}

/** Whether this is still the session of an admin. */
export async function isAdminSession(tx: Transaction, sessionId: string): Promise<boolean> {
  const { rows } = await tx.query(
    `select 1 from kelpie.sessions s join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id
     where s.id = $1 and s.revoked_at is null and m.role = 'admin'`,
    [sessionId],
  );
  return rows.length === 1;
}

export async function isMemberSession(tx: Transaction, sessionId: string): Promise<boolean> {
  const { rows } = await tx.query(
    `select 1 from kelpie.sessions s join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id
     where s.id = $1 and s.revoked_at is null`,
    [sessionId],
  );
  return rows.length === 1;
}

export async function countMembers(tx: Transaction): Promise<{ all: number; admins: number }> {
  const { rows } = await tx.query<{ all: number; admins: number }>(
    `select count(*)::int as all, (count(*) filter (where role = 'admin'))::int as admins from kelpie.members`,
  );
  return rows[0] ?? { all: 0, admins: 0 };
}

export async function findMember(tx: Transaction, email: string): Promise<Member | null> {
  const { rows } = await tx.query<Member>(
    'select email, name, role, last_login_at, created_at from kelpie.members where email = $1',
    [email],
  );
  return rows[0] ?? null;
}

export async function listAdminEmails(tx: Transaction): Promise<string[]> {
  const { rows } = await tx.query<{ email: string }>(
    `select email from kelpie.members where role = 'admin' order by email limit $1`,
    [mostMembers],
  );
  return rows.map(({ email }) => email);
}

/** About payouts that failed, were returned or are stuck. */
export interface NotificationSettings {
  live: boolean;
  sandbox: boolean;
}

const settingsColumns = `coalesce(emails_live_problems, role = 'admin') as live,
  coalesce(emails_sandbox_problems, role = 'admin') as sandbox`;

export async function findNotificationSettings(tx: Transaction, email: string): Promise<NotificationSettings | null> {
  const { rows } = await tx.query<NotificationSettings>(
    `select ${settingsColumns} from kelpie.members where email = $1`,
    [email],
  );
  return rows[0] ?? null;
}

/** Returns null where there is no such member. */
export async function setNotificationSettings(
  tx: Transaction,
  email: string,
  { live = null, sandbox = null }: { live?: boolean | null; sandbox?: boolean | null },
): Promise<NotificationSettings | null> {
  const { rows } = await tx.query<NotificationSettings>(
    `update kelpie.members
     set emails_live_problems = coalesce($2, emails_live_problems),
       emails_sandbox_problems = coalesce($3, emails_sandbox_problems)
     where email = $1 returning ${settingsColumns}`,
    [email, live, sandbox],
  );
  return rows[0] ?? null;
}

/** Whose setting asks for emails about payout problems. Without a setting, admins want them and viewers do not. */
export async function listProblemReaders(
  tx: Transaction,
  environment: PartnerContext['environment'],
): Promise<string[]> {
  const { rows } = await tx.query<{ email: string }>(
    `select email from kelpie.members
     where coalesce(case $1 when 'live' then emails_live_problems else emails_sandbox_problems end, role = 'admin')
     order by email limit $2`,
    [environment, mostMembers],
  );
  return rows.map(({ email }) => email);
}

/** The founder, or who has been an admin for longest. */
export async function findFirstAdmin(tx: Transaction): Promise<string | null> {
  const { rows } = await tx.query<{ email: string }>(
    `select email from kelpie.members where role = 'admin' order by created_at, email limit 1`,
  );
  return rows[0]?.email ?? null;
}

interface NewMember {
  partnerId: string;
  email: string;
  name: string | null;
  role: Role;
  invitedBy: string | null;
  createdAt: Date;
}

export async function insertMember(tx: Transaction, member: NewMember): Promise<void> {
  await tx.query(
    `insert into kelpie.members (partner_id, email, name, role, invited_by, created_at) values ($1, $2, $3, $4, $5, $6)`,
    [member.partnerId, member.email, member.name, member.role, member.invitedBy, member.createdAt],
  );
  await sealMember(tx, { partner_id: member.partnerId, email: member.email, role: member.role });
  await addMemberEvent(tx, { type: 'member.added', email: member.email, at: member.createdAt });
}

interface MemberEvent {
  type: 'member.added' | 'member.removed';
  email: string;
  at: Date;
}

/** With the member as it is now. */
async function addMemberEvent(tx: Transaction, { type, email, at }: MemberEvent): Promise<void> {
  await tx.query('select kelpie.add_member_event($1, $2, $3)', [type, email, at]);
}

export async function setRole(tx: Transaction, email: string, role: Role): Promise<void> {
  await requireOwnMember(tx, email);
  await tx.query('update kelpie.members set role = $2 where email = $1', [email, role]);
  await sealMember(tx, { partner_id: await getCurrentPartner(tx), email, role });
}

/** With all their sessions. */
export async function deleteMember(tx: Transaction, email: string, at: Date): Promise<void> {
  await addMemberEvent(tx, { type: 'member.removed', email, at });
  await tx.query('delete from kelpie.members where email = $1', [email]);
  await tx.query('update kelpie.sessions set revoked_at = $2 where email = $1 and revoked_at is null', [email, at]);
}

/** Of a partner that the transaction need not be of. Runs as kelpie_reader. */
export async function isAdminOf(tx: Transaction, partnerId: string, email: string): Promise<boolean> {
  const { rows } = await tx.query(
    `select from kelpie.members where partner_id = $1 and email = $2 and role = 'admin'`,
    [partnerId, email],
  );
  return rows.length === 1;
}

/** The same of any member. */
export async function isMemberOf(tx: Transaction, partnerId: string, email: string): Promise<boolean> {
  const { rows } = await tx.query('select from kelpie.members where partner_id = $1 and email = $2', [
    partnerId,
    email,
  ]);
  return rows.length === 1;
}

/** The address that the proposal names. Returns false if it is an admin already. */
export async function restoreAdmin(
  tx: Transaction,
  { proposalId, partnerId, email, at }: { proposalId: string; partnerId: string; email: string; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query<{ restored: boolean }>(
    'select kelpie.operator_restore_member($1, $2, $3) as restored',
    [proposalId, partnerId, at],
  );
  if (rows[0]?.restored !== true) return false;
  await sealMember(tx, { partner_id: partnerId, email, role: 'admin' });
  return true;
}
