import type { MailMessage } from '../../platform/mail/layout.ts';

/**
 * The name of the business is not in it: anyone can sign up with any address, and could make us send any words to it. Only
 * the reader of the email learns that the address has an account.
 */
export function signUpCodeMail({ code, hasAccount }: { code: string; hasAccount: boolean }): MailMessage {
  return {
    subject: 'Your Kelpie sign-up code',
    lead: 'Use this code to open a Kelpie account. It expires in 10 minutes and works once.',
    blocks: [
      { kind: 'code', code },
      ...(hasAccount
        ? [
            {
              kind: 'words' as const,
              text: 'You already have a Kelpie account. If you finish signing up with this code, you create a second one. To use the account you have, sign in with this code instead.',
            },
          ]
        : []),
      {
        kind: 'aside',
        text: "If you didn't request this code, ignore this email. We never ask for a code by phone or email.",
      },
    ],
  };
}
