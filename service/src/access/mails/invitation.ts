import type { MailMessage } from '../../platform/mail/layout.ts';

interface Invitation {
  /** The name or the address of whoever invites. */
  invitedBy: string;
  business: string;
  role: 'admin' | 'viewer';
  link: string;
}

const roles = {
  admin: { as: 'an admin', means: 'An admin sees everything, pays, and looks after members and API keys.' },
  viewer: { as: 'a viewer', means: 'A viewer sees everything, and changes nothing.' },
};

export function invitationMail({ invitedBy, business, role, link }: Invitation): MailMessage {
  return {
    subject: `${business} invites you to Kelpie`,
    lead: `${invitedBy} invites you to join ${business} on Kelpie as ${roles[role].as}.`,
    blocks: [
      {
        kind: 'words',
        text: `With Kelpie, businesses pay pounds to UK bank accounts from their own USDC wallet. ${roles[role].means}`,
      },
      { kind: 'link', label: 'Sign in', url: link },
      {
        kind: 'aside',
        text: 'You sign in with this address and a code that we mail to it; there is no password. If you do not know who this is, do nothing: nobody else can use your place.',
      },
    ],
  };
}
