import type { MailMessage } from '../../platform/mail/layout.ts';
import { describeChange, linkToKeys, type KeyChange } from './key-change.ts';

export function keyCreatedMail(change: KeyChange): MailMessage {
  const { business, environment, by } = change;
  return {
    subject: `A ${environment} API key of ${business} was created`,
    lead: `${by} created a ${environment} API key of ${business}.`,
    blocks: [
      describeChange(change, 'Created'),
      ...linkToKeys(change),
      {
        kind: 'aside',
        text: 'If nobody of yours was meant to do this, revoke the key at once: it stops working within a second.',
      },
    ],
  };
}
