import type { MailMessage } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';

interface PasskeyChange {
  business: string;
  email: string;
  name: string;
  at: Date;
}

/** To its person: who reads the mailbox learns of each passkey that opens the account. */
export function passkeyChangedMail(
  done: 'added' | 'removed',
  { business, email, name, at }: PasskeyChange,
): MailMessage {
  return {
    subject: `A passkey was ${done}`,
    lead: `A passkey of ${email} for ${business} was ${done}.`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Account', business],
          ['Passkey', name],
          [done === 'added' ? 'Added on' : 'Removed on', showInstant(at)],
        ],
      },
    ],
  };
}

export function passkeyRuleMail({
  business,
  required,
  by,
  at,
}: {
  business: string;
  required: boolean;
  by: string;
  at: Date;
}): MailMessage {
  const what = required ? 'requires a passkey of every member' : 'no longer requires passkeys';
  return {
    subject: `${business} ${what}`,
    lead: `${by} changed how members sign in. ${business} ${what}.`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Account', business],
          ['Passkeys', required ? 'required' : 'optional'],
          ['Changed by', by],
          ['Changed on', showInstant(at)],
        ],
      },
    ],
  };
}

export function passkeysResetMail({ business, email, at }: Omit<PasskeyChange, 'name'>): MailMessage {
  return {
    subject: 'Passkeys were reset',
    lead: `Kelpie support removed all passkeys of ${email} for ${business} and ended their sessions.`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Account', business],
          ['Member', email],
          ['Reset on', showInstant(at)],
        ],
      },
      { kind: 'words', text: 'They sign in with an emailed code and add a new passkey within 72 hours.' },
    ],
  };
}
