import type { MailMessage } from '../../platform/mail/layout.ts';
import { describeChange, linkToKeys, type KeyChange } from './key-change.ts';

export function keyRevokedMail(change: KeyChange): MailMessage {
  const { business, environment, by } = change;
  return {
    subject: `A ${environment} API key for ${business} was revoked`,
    lead: `${by} revoked a ${environment} API key for ${business}.`,
    blocks: [
      describeChange(change, 'Revoked'),
      { kind: 'words', text: 'Requests with this key now fail. You cannot restore it. Create a new key instead.' },
      linkToKeys(change),
      { kind: 'aside', text: 'If you did not expect this, check who the admins of your account are.' },
    ],
  };
}
