import type { MicroUsdc } from '../../money/amounts.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { showUsdc } from './shown-usdc.ts';

interface ReversedDeposit {
  business: string;
  environment: 'sandbox' | 'live';
  amount: MicroUsdc;
  /** What of it the wallet did not hold any more. */
  owed: MicroUsdc;
  link: string | null;
}

export function depositReversedMail({ business, environment, amount, owed, link }: ReversedDeposit): MailMessage {
  const taken = showUsdc(amount);
  const rest =
    owed === 0n
      ? 'The whole of it was still in the wallet, which holds that much less now.'
      : `The wallet did not hold all of it any more, so ${showUsdc(owed)} are owed. The next top-up pays for that first.`;
  return {
    subject: `The bank took back a top-up of ${business}`,
    lead: `The bank took back a top-up of ${taken} from the ${environment} wallet of ${business}.`,
    blocks: [
      { kind: 'words', text: rest },
      { kind: 'words', text: 'It happens where the sender’s own bank recalls a transfer. Ask whoever sent it why.' },
      ...(link === null ? [] : [{ kind: 'link', label: 'Open the dashboard', url: link } as const]),
    ],
  };
}
