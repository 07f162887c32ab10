import type { MailMessage } from '../../platform/mail/layout.ts';
import { describeChange, linkToKeys, type KeyChange } from './key-change.ts';

export function keyCreatedMail(change: KeyChange): MailMessage {
  const { business, environment, by } = change;
  return {
    subject: `New ${environment} API key for ${business}`,
    lead: `${by} created a ${environment} API key for ${business}.`,
    blocks: [
      describeChange(change, 'Created'),
      linkToKeys(change),
      {
        kind: 'aside',
        text: 'If you did not expect this, revoke the key. It stops working within a second.',
      },
    ],
  };
}
