import type { MailMessage } from '../../platform/mail/layout.ts';

/** The code is not in the subject, nor in the first line: a locked screen shows both. */
export function signInCodeMail({ code }: { code: string }): MailMessage {
  return {
    subject: 'Your code to sign in to Kelpie',
    lead: 'Use the code below to sign in to Kelpie. It is valid for 10 minutes and works once.',
    blocks: [
      { kind: 'code', code },
      {
        kind: 'aside',
        text: 'If it was not you who asked for it, do nothing: without the code nobody gets in. We never ask you for it, by phone or by mail.',
      },
    ],
  };
}
