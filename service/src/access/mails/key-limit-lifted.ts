import type { MailMessage } from '../../platform/mail/layout.ts';
import { describeChange, linkToKeys, type KeyChange } from './key-change.ts';

export function keyLimitLiftedMail(change: KeyChange): MailMessage {
  const { business, environment, by } = change;
  return {
    subject: `The reduced limit of a ${environment} API key of ${business} was lifted`,
    lead: `${by} lifted the reduced limit of a new ${environment} API key of ${business}. The key can pay up to its full limit now.`,
    blocks: [
      describeChange(change, 'Lifted'),
      linkToKeys(change),
      {
        kind: 'aside',
        text: 'If you did not expect this, revoke the key. It stops working within a second.',
      },
    ],
  };
}
