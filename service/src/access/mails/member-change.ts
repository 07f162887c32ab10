import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailBlock, MailMessage } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';

type Role = 'admin' | 'viewer';

/** What was done to a member, for the admins as they were before, and for that member. */
interface MemberChange {
  business: string;
  email: string;
  /** The email address of the admin who did it. */
  by: string;
  at: Date;
  dashboardUrl: string;
}

const as: Readonly<Record<Role, string>> = { admin: 'an admin', viewer: 'a viewer' };

type Fact = readonly [label: string, value: string];

/** `done` is "Invited", "Changed" or "Removed". */
function blocksOf({ business, email, by, at, dashboardUrl }: MemberChange, role: Fact, done: string): MailBlock[] {
  const facts: Fact[] = [
    ['Account', business],
    ['Member', email],
    role,
    [`${done} by`, by],
    [`${done} on`, showInstant(at)],
  ];
  return [
    { kind: 'facts', facts },
    { kind: 'link', label: 'View members', url: dashboardUrl + dashboardPages.team('sandbox') },
  ];
}

export function memberInvitedMail(change: MemberChange & { role: Role }): MailMessage {
  const { business, email, by, role } = change;
  return {
    subject: `New ${role} of ${business}`,
    lead: `${by} invited ${email} to ${business} as ${as[role]}.`,
    blocks: blocksOf(change, ['Role', role], 'Invited'),
  };
}

export function roleChangedMail(change: MemberChange & { from: Role; to: Role }): MailMessage {
  const { business, email, by, from, to } = change;
  return {
    subject: `The role of a member of ${business} changed`,
    lead: `${by} made ${email} ${as[to]} of ${business}.`,
    blocks: blocksOf(change, ['Role', `${to} (before: ${from})`], 'Changed'),
  };
}

export function memberRemovedMail(change: MemberChange & { role: Role }): MailMessage {
  const { business, email, by, role } = change;
  return {
    subject: `A member of ${business} was removed`,
    lead: `${by} removed ${email} from ${business}.`,
    blocks: blocksOf(change, ['Role', role], 'Removed'),
  };
}

/** An operator put an admin back. */
export function memberRestoredMail(change: MemberChange): MailMessage {
  const { business, email, by } = change;
  return {
    subject: `An admin of ${business} was restored`,
    lead: `${by} made ${email} an admin of ${business} again.`,
    blocks: blocksOf(change, ['Role', 'admin'], 'Restored'),
  };
}
