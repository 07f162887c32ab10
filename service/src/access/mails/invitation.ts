import type { MailMessage } from '../../platform/mail/layout.ts';

interface Invitation {
  /** The name or the email address of the person who invites. */
  invitedBy: string;
  business: string;
  role: 'admin' | 'viewer';
  link: string;
}

const roles = {
  admin: { as: 'an admin', means: 'Admins send payouts and manage members and API keys.' },
  viewer: { as: 'a viewer', means: 'Viewers see everything and change nothing.' },
};

export function invitationMail({ invitedBy, business, role, link }: Invitation): MailMessage {
  return {
    subject: `Join ${business} on Kelpie`,
    lead: `${invitedBy} invited you to join ${business} on Kelpie as ${roles[role].as}.`,
    blocks: [
      {
        kind: 'words',
        text: `${business} uses Kelpie to pay UK bank accounts in pounds from its USDC wallet. ${roles[role].means}`,
      },
      { kind: 'link', label: 'Sign in', url: link },
      {
        kind: 'aside',
        text: "Sign in with this email address. We send you a code; there is no password. If you don't know the sender, ignore this email.",
      },
    ],
  };
}
