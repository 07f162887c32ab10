import type { Pence } from '../../money/amounts.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { showPounds } from './shown-pounds.ts';

interface PayoutToConfirm {
  code: string;
  /** The account that pays: a person can be a member of several. */
  businessName: string;
  amount: Pence;
  recipientName: string;
  accountLast4: string;
  reference: string | null;
}

/** The code is not in the subject or the lead: a lock screen shows both. */
export function confirmPayoutMail(payout: PayoutToConfirm): MailMessage {
  const amount = showPounds(payout.amount);
  return {
    subject: 'Your code to confirm a payout',
    lead: `Use this code to pay ${amount} to ${payout.recipientName} from ${payout.businessName}. It expires in 5 minutes and works for this payout only.`,
    blocks: [
      { kind: 'code', code: payout.code },
      {
        kind: 'facts',
        facts: [
          ['From', payout.businessName],
          ['Amount', amount],
          ['Recipient', payout.recipientName],
          ['Account', `ending in ${payout.accountLast4}`],
          ...(payout.reference === null ? [] : [['Reference', payout.reference] as const]),
        ],
      },
      {
        kind: 'aside',
        text: "If you didn't request this code, do not share it: without it, no money moves. Tell an admin, because someone may be signed in as you.",
      },
    ],
  };
}
