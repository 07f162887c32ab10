import type { MailMessage } from '../../platform/mail/layout.ts';

/**
 * The name of the business is not in it: anybody can sign up with any address, and would have us send any words to it. Only
 * the reader of the mail is told that the address has an account.
 */
export function signUpCodeMail({ code, hasAccount }: { code: string; hasAccount: boolean }): MailMessage {
  return {
    subject: 'Your code to open an account at Kelpie',
    lead: 'Use the code below to open a new account at Kelpie. It is valid for 10 minutes and works once.',
    blocks: [
      { kind: 'code', code },
      ...(hasAccount
        ? [
            {
              kind: 'words' as const,
              text: 'You have an account already. Where you sign up, this code opens another one beside it; where you sign in, it lets you in to the one that you have.',
            },
          ]
        : []),
      {
        kind: 'aside',
        text: 'If it was not you who signed up, do nothing: without the code no account is opened. We never ask you for it, by phone or by mail.',
      },
    ],
  };
}
