import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';
import type { ApprovalReason, PayoutRequest } from '../model/payout-request.ts';
import { showPounds } from './shown-pounds.ts';

type RequestToDecide = Pick<
  PayoutRequest,
  | 'id'
  | 'environment'
  | 'amount'
  | 'recipientName'
  | 'accountLast4'
  | 'reference'
  | 'reasons'
  | 'requestedBy'
  | 'requestedVia'
  | 'expiresAt'
> & {
  business: string;
  /** Whether further ones of this hour are in the queue alone. */
  isLastMail: boolean;
  dashboardUrl: string;
};

const whys: Readonly<Record<ApprovalReason, string>> = {
  amount: 'its amount',
  new_payee: 'a new payee',
  key: 'its API key',
};

/** To those who can approve it: what they need to decide, and where. */
export function payoutRequestMail(request: RequestToDecide): MailMessage {
  const amount = showPounds(request.amount);
  const { environment, business } = request;
  const test = environment === 'sandbox' ? ' This is a test in the sandbox: no money moves.' : '';
  return {
    subject: `Approve a payout of ${amount} from ${business}?`,
    lead: `${request.requestedBy} asks to pay ${amount} to ${request.recipientName ?? ''} from ${business}. Another admin has to approve it.${test}`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['From', business],
          ['Environment', environment],
          ['Amount', amount],
          ['Recipient', request.recipientName ?? ''],
          ['Account', `ending in ${request.accountLast4 ?? ''}`],
          ...(request.reference === null ? [] : [['Reference', request.reference] as const]),
          ['Needs approval for', request.reasons.map((reason) => whys[reason]).join(', ')],
          [request.requestedVia === 'api' ? 'Requested by API key' : 'Requested by', request.requestedBy],
          ['Expires on', showInstant(request.expiresAt)],
        ],
      },
      ...(request.isLastMail
        ? [
            {
              kind: 'words' as const,
              text: 'This is the 20th request within an hour. Further ones are in the queue, without an email.',
            },
          ]
        : []),
      {
        kind: 'link',
        label: 'Review the payout',
        url: dashboardUrlOf(request),
      },
    ],
  };
}

function dashboardUrlOf({ dashboardUrl, environment, id }: RequestToDecide): string {
  return `${dashboardUrl}${dashboardPages.approvals(environment)}?request=${id}`;
}
