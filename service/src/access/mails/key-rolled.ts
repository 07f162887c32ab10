import type { MailMessage } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';
import { describeChange, linkToKeys, type KeyChange } from './key-change.ts';

/** The secret that was replaced; null where it stopped working at once. */
interface Replaced {
  prefix: string;
  expiresAt: Date | null;
}

export function keyRolledMail(change: KeyChange, { prefix, expiresAt }: Replaced): MailMessage {
  const { business, environment, by } = change;
  return {
    subject: `A ${environment} API key for ${business} has a new secret`,
    lead: `${by} rolled a ${environment} API key for ${business}.`,
    blocks: [
      describeChange(change, 'Rolled'),
      {
        kind: 'words',
        text:
          expiresAt === null
            ? `The old secret, ${prefix}…, no longer works.`
            : `The old secret, ${prefix}…, works until ${showInstant(expiresAt)}.`,
      },
      linkToKeys(change),
      {
        kind: 'aside',
        text: 'If you did not expect this, revoke the key. Both secrets stop working within a second.',
      },
    ],
  };
}
