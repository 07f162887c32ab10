import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';

export interface ChangedLimit {
  label: string;
  from: string;
  to: string;
}

interface ChangedLimits {
  business: string;
  environment: 'sandbox' | 'live';
  changed: readonly ChangedLimit[];
  /** The email address of the person who did it. */
  by: string;
  at: Date;
  dashboardUrl: string;
}

export function limitsChangedMail({
  business,
  environment,
  changed,
  by,
  at,
  dashboardUrl,
}: ChangedLimits): MailMessage {
  return {
    subject: `The ${environment} limits of ${business} changed`,
    lead: `${by} changed the ${environment} payout limits of ${business}.`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Account', business],
          ['Environment', environment],
          ...changed.map(({ label, from, to }) => [label, `${to} (before: ${from})`] as const),
          ['Changed by', by],
          ['Changed on', showInstant(at)],
        ],
      },
      { kind: 'link', label: 'View settings', url: dashboardUrl + dashboardPages.settings(environment) },
    ],
  };
}
