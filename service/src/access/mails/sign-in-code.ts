import type { MailMessage } from '../../platform/mail/layout.ts';

/** The code is not in the subject or the lead: a lock screen shows both. */
export function signInCodeMail({ code }: { code: string }): MailMessage {
  return {
    subject: 'Your Kelpie sign-in code',
    lead: 'Use this code to sign in to Kelpie. It expires in 10 minutes and works once.',
    blocks: [
      { kind: 'code', code },
      {
        kind: 'aside',
        text: "If you didn't request this code, ignore this email. We never ask for a code by phone or email.",
      },
    ],
  };
}
