import type { MicroUsdc } from '../../money/amounts.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { showUsdc } from './shown-usdc.ts';

interface LowWallet {
  business: string;
  environment: 'sandbox' | 'live';
  balance: MicroUsdc;
  threshold: MicroUsdc;
  link: string | null;
}

export function walletLowMail({ business, environment, balance, threshold, link }: LowWallet): MailMessage {
  return {
    subject: `The ${environment} wallet of ${business} runs low`,
    lead: `The ${environment} wallet of ${business} holds ${showUsdc(balance)}, which is less than the ${showUsdc(threshold)} you asked to be told at.`,
    blocks: [
      {
        kind: 'words',
        text: 'Top it up by bank transfer or with USDC, so that payouts go on. Payouts that it can not cover are refused, and nothing is lost.',
      },
      ...(link === null ? [] : [{ kind: 'link', label: 'Open the dashboard', url: link } as const]),
    ],
  };
}
