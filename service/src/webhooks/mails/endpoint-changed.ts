import type { MailMessage } from '../../platform/mail/layout.ts';
import { describeEndpoint, linkToWebhooks, type MailedEndpoint } from './endpoint-facts.ts';

interface ChangedEndpoint extends MailedEndpoint {
  /** The start of the key, or the email address of the person. */
  by: string;
  isNew: boolean;
}

/** For one that is new, and for one that has moved to another address. */
export function endpointChangedMail(mailed: ChangedEndpoint): MailMessage {
  const { business, endpoint, by, isNew } = mailed;
  const { environment } = endpoint;
  return {
    subject: `${isNew ? 'New' : 'Changed'} ${environment} webhook for ${business}`,
    lead: isNew
      ? `${by} created a ${environment} webhook for ${business}.`
      : `${by} changed the address of a ${environment} webhook of ${business}.`,
    blocks: [
      describeEndpoint(mailed, isNew ? 'Created on' : 'Changed on', [[isNew ? 'Created by' : 'Changed by', by]]),
      ...linkToWebhooks(mailed),
      {
        kind: 'aside',
        text: 'Its server receives your payouts with the names of recipients. If you did not expect this, delete the webhook.',
      },
    ],
  };
}
