import type { ActToConfirm } from '../../platform/acts/confirmed-act.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';

/** The code is not in the subject or the lead: a lock screen shows both. */
export function confirmActMail({
  code,
  business,
  does,
  facts,
}: Omit<ActToConfirm, 'act'> & { code: string }): MailMessage {
  return {
    subject: 'Your code to confirm a change',
    lead: `Use this code to ${does}. It expires in 5 minutes and works for this change only.`,
    blocks: [
      { kind: 'code', code },
      { kind: 'facts', facts: [['Account', business], ...facts] },
      {
        kind: 'aside',
        text: "If you didn't request this code, do not share it: without it, nothing changes. Sign out of all sessions, because someone may be signed in as you.",
      },
    ],
  };
}
