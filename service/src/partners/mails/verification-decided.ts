import type { MailMessage } from '../../platform/mail/layout.ts';

export type Decision = 'approved' | 'rejected' | 'more_needed';

interface DecidedVerification {
  business: string;
  decision: Decision;
  /** Where it goes on: the bank's page where more is needed, else the dashboard. Null where there is none. */
  link: string | null;
}

interface Words {
  subject: string;
  lead: string;
  next: string;
  label: string;
}

const wordsOf: Record<Decision, (business: string) => Words> = {
  approved: (business) => ({
    subject: `${business} is verified`,
    lead: `${business} is verified, and can now pay with real money.`,
    next: 'Create a live API key, and send USDC to the live wallet before the first payout. The sandbox stays as it is.',
    label: 'Open the dashboard',
  }),
  rejected: (business) => ({
    subject: `${business} could not be verified`,
    lead: `${business} could not be verified, so it can not pay with real money.`,
    next: 'No money has moved, and the sandbox works as before. The dashboard shows where the verification stands.',
    label: 'Open the dashboard',
  }),
  more_needed: (business) => ({
    subject: `More is needed to verify ${business}`,
    lead: `Something is missing before ${business} can be verified.`,
    next: 'The verification page says what it is, and goes on where you left off. The sandbox works meanwhile.',
    label: 'Continue the verification',
  }),
};

export function verificationDecidedMail({ business, decision, link }: DecidedVerification): MailMessage {
  const { subject, lead, next, label } = wordsOf[decision](business);
  return {
    subject,
    lead,
    blocks: [{ kind: 'words', text: next }, ...(link === null ? [] : [{ kind: 'link', label, url: link } as const])],
  };
}
