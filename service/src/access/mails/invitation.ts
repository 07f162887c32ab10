import type { MailMessage } from '../../platform/mail/layout.ts';

interface Invitation {
  /** The name or the email address of the person who invites. */
  invitedBy: string;
  business: string;
  role: 'admin' | 'viewer';
  link: string;
}

const roles = {
  admin: { as: 'an admin', means: 'Admins can create payouts and manage members and API keys.' },
  viewer: { as: 'a viewer', means: 'Viewers can see everything but cannot change anything.' },
};

export function invitationMail({ invitedBy, business, role, link }: Invitation): MailMessage {
  return {
    subject: 'You are invited to an account on Kelpie',
    lead: `${invitedBy} invited you to join ${business} on Kelpie as ${roles[role].as}.`,
    blocks: [
      {
        kind: 'words',
        text: `${business} uses Kelpie to pay UK bank accounts in pounds from its USDC wallet. ${roles[role].means}`,
      },
      { kind: 'link', label: 'Sign in', url: link },
      {
        kind: 'aside',
        text: "Sign in with the address that received this email. There is no password: we email you a code. If you didn't expect this invitation, ignore this email.",
      },
    ],
  };
}
