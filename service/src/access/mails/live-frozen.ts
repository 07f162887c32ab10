import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';

interface Freeze {
  business: string;
  /** The email address of the admin who froze it. */
  by: string;
  at: Date;
  dashboardUrl: string;
}

export function liveFrozenMail({ business, by, at, dashboardUrl }: Freeze): MailMessage {
  return {
    subject: `Live payouts of ${business} are frozen`,
    lead: `${by} froze the live payouts of ${business}.`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Account', business],
          ['Frozen by', by],
          ['Frozen on', showInstant(at)],
        ],
      },
      {
        kind: 'words',
        text: 'New live payouts are refused, and payouts that wait are not sent. The sandbox still works. Check your members and API keys, then contact support to lift the freeze.',
      },
      { kind: 'link', label: 'View members', url: dashboardUrl + dashboardPages.team('sandbox') },
    ],
  };
}
