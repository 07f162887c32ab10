import type { MicroUsdc } from '../../money/amounts.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { linkToTopUps } from './link-to-top-ups.ts';
import { showUsdc } from '../../money/shown-amounts.ts';

interface ReversedDeposit {
  business: string;
  environment: 'sandbox' | 'live';
  amount: MicroUsdc;
  /** The part that the wallet no longer held. */
  owed: MicroUsdc;
  dashboardUrl: string | null;
}

export function depositReversedMail(deposit: ReversedDeposit): MailMessage {
  const { business, environment, amount, owed, dashboardUrl } = deposit;
  const reversed = showUsdc(amount);
  const effect =
    owed === 0n
      ? `We took ${reversed} from the wallet.`
      : `The wallet did not hold enough to cover it, so you owe us ${showUsdc(owed)}. Your next top-up repays this first.`;
  return {
    subject: `The bank reversed a top-up of ${reversed}`,
    lead: `The bank reversed a top-up of ${reversed} to the ${environment} wallet of ${business}.`,
    blocks: [
      { kind: 'words', text: effect },
      { kind: 'words', text: 'Banks reverse a transfer when the sender recalls it. Ask the sender why.' },
      ...linkToTopUps({ dashboardUrl, environment, label: 'View top-ups' }),
    ],
  };
}
