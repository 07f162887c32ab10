import type { MailMessage } from '../../platform/mail/layout.ts';
import { describeEndpoint, linkToWebhooks, type MailedEndpoint } from './endpoint-facts.ts';

export function endpointDisabledMail(mailed: MailedEndpoint): MailMessage {
  const { business, endpoint } = mailed;
  return {
    subject: `A ${endpoint.environment} webhook of ${business} is disabled`,
    lead: `We disabled a ${endpoint.environment} webhook of ${business}, because it has not accepted an event for 3 days.`,
    blocks: [
      describeEndpoint(mailed, 'Disabled on'),
      {
        kind: 'words',
        text: 'Nothing is lost. Repair the server, enable the webhook, and redeliver everything since the last event that you have. Events stay available for 90 days.',
      },
      ...linkToWebhooks(mailed),
    ],
  };
}
