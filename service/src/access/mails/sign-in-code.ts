import type { MailMessage } from '../../platform/mail/layout.ts';
import type { Origin } from '../../platform/origin.ts';
import { originFacts } from './shown-origin.ts';

/** The code is not in the subject or the lead: a lock screen shows both. */
export function signInCodeMail({ code, ...origin }: { code: string } & Origin): MailMessage {
  const requested = originFacts(origin);
  return {
    subject: 'Your Kelpie sign-in code',
    lead: 'Use this code to sign in to Kelpie. It expires in 10 minutes and works once.',
    blocks: [
      { kind: 'code', code },
      // Of several codes, a person finds their own by it: a stranger may have requested others.
      ...(requested.length === 0 ? [] : [{ kind: 'facts' as const, facts: requested }]),
      {
        kind: 'aside',
        text: "If you didn't request this code, ignore this email. We never ask for a code by phone or email.",
      },
    ],
  };
}
