import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';

export interface ChangedAddress {
  /** "Contact email" or "Billing email". */
  label: string;
  from: string | null;
  to: string | null;
}

interface AddressChange {
  business: string;
  changed: readonly ChangedAddress[];
  /** The email address of the admin who changed it. */
  by: string;
  at: Date;
  dashboardUrl: string;
}

export function addressesChangedMail({ business, changed, by, at, dashboardUrl }: AddressChange): MailMessage {
  const what = changed.map(({ label }) => label.toLowerCase()).join(' and the ');
  return {
    subject: `The ${what} of ${business} changed`,
    lead: `${by} changed the ${what} of ${business}.`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Account', business],
          ...changed.map(({ label, from, to }) => [label, `${to ?? 'none'} (before: ${from ?? 'none'})`] as const),
          ['Changed by', by],
          ['Changed on', showInstant(at)],
        ],
      },
      { kind: 'link', label: 'View settings', url: dashboardUrl + dashboardPages.settings('sandbox') },
    ],
  };
}
