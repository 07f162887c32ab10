import type { MicroUsdc } from '../../money/amounts.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { linkToTopUps } from './link-to-top-ups.ts';
import { showUsdc } from '../../money/shown-amounts.ts';

interface LowWallet {
  business: string;
  environment: 'sandbox' | 'live';
  balance: MicroUsdc;
  threshold: MicroUsdc;
  dashboardUrl: string | null;
}

export function walletLowMail({ business, environment, balance, threshold, dashboardUrl }: LowWallet): MailMessage {
  return {
    subject: `Your ${environment} wallet is low: ${showUsdc(balance)}`,
    lead: `The ${environment} wallet of ${business} holds ${showUsdc(balance)}, below your low-balance alert of ${showUsdc(threshold)}.`,
    blocks: [
      {
        kind: 'words',
        text: 'Top up by bank transfer or with USDC. We refuse payouts that cost more than the wallet holds.',
      },
      ...linkToTopUps({ dashboardUrl, environment, label: 'Top up wallet' }),
      {
        kind: 'aside',
        text: 'An admin can change this alert in the dashboard under Settings, “Low-balance alert”.',
      },
    ],
  };
}
