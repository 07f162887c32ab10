import type { Pence } from '../../money/amounts.ts';
import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { showPounds } from './shown-pounds.ts';

interface Volume {
  business: string;
  environment: 'sandbox' | 'live';
  spent: Pence;
  /** The most of one of the 30 days before. */
  highest: Pence;
  dashboardUrl: string | null;
}

export function unusualVolumeMail({ business, environment, spent, highest, dashboardUrl }: Volume): MailMessage {
  const before =
    highest === 0n
      ? 'There were no payouts in the 30 days before.'
      : `The highest day of the 30 days before was ${showPounds(highest)}.`;
  return {
    subject: `Unusual payout volume: ${showPounds(spent)} today`,
    lead: `${business} has created payouts of ${showPounds(spent)} today in ${environment}, more than twice as much as usual.`,
    blocks: [
      { kind: 'words', text: `${before} If you expected this, you need do nothing. We send this email once per day.` },
      ...(dashboardUrl === null
        ? []
        : [{ kind: 'link', label: 'View payouts', url: dashboardUrl + dashboardPages.payouts(environment) } as const]),
    ],
  };
}
