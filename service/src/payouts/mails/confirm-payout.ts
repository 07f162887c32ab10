import type { Pence } from '../../money/amounts.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { showPounds } from './shown-pounds.ts';

interface PayoutToConfirm {
  code: string;
  /** Who pays: a person may pay for several. */
  businessName: string;
  amount: Pence;
  recipientName: string;
  accountLast4: string;
  reference: string | null;
}

/** The code is not in the subject, nor in the first line: a locked screen shows both. */
export function confirmPayoutMail(payout: PayoutToConfirm): MailMessage {
  const amount = showPounds(payout.amount);
  return {
    subject: 'Your code to confirm a payout',
    lead: `Use the code below to pay ${amount} to ${payout.recipientName} from the wallet of ${payout.businessName}. It is valid for 5 minutes, and for this payout only.`,
    blocks: [
      { kind: 'code', code: payout.code },
      {
        kind: 'facts',
        facts: [
          ['Paid by', payout.businessName],
          ['Amount', amount],
          ['Recipient', payout.recipientName],
          ['Account', `ends in ${payout.accountLast4}`],
          ...(payout.reference === null ? [] : [['Reference', payout.reference] as const]),
        ],
      },
      {
        kind: 'aside',
        text: 'If it was not you who asked for it, do nothing: without the code no money moves. Then tell an admin of your business: somebody is signed in as you.',
      },
    ],
  };
}
