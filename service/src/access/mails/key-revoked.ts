import type { MailMessage } from '../../platform/mail/layout.ts';
import { describeChange, linkToKeys, type KeyChange } from './key-change.ts';

export function keyRevokedMail(change: KeyChange): MailMessage {
  const { business, environment, by } = change;
  return {
    subject: `A ${environment} API key of ${business} was revoked`,
    lead: `${by} revoked a ${environment} API key of ${business}.`,
    blocks: [
      describeChange(change, 'Revoked'),
      {
        kind: 'words',
        text: 'Whatever still uses it is refused from now on. A revoked key can not be brought back: create a new one.',
      },
      ...linkToKeys(change),
      { kind: 'aside', text: 'If nobody of yours was meant to do this, look at who your admins are.' },
    ],
  };
}
