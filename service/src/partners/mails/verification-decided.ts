import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailBlock, MailMessage } from '../../platform/mail/layout.ts';

export type Decision = 'approved' | 'rejected' | 'more_needed';

interface DecidedVerification {
  business: string;
  decision: Decision;
  /** The bank's page where the verification continues, where more is needed. */
  continueUrl: string | null;
  dashboardUrl: string | null;
}

interface Words {
  subject: string;
  lead: string;
  next: string;
}

const wordsOf: Record<Decision, (business: string) => Words> = {
  approved: (business) => ({
    subject: `${business} is verified`,
    lead: `${business} is verified and can send live payouts.`,
    next: 'Create a live API key and top up the live wallet before your first payout. Your sandbox stays as it is.',
  }),
  rejected: (business) => ({
    subject: `${business} could not be verified`,
    lead: `The bank could not verify ${business}, so it cannot send live payouts.`,
    next: 'Your sandbox still works. If you think this is a mistake, contact support.',
  }),
  more_needed: (business) => ({
    subject: `The bank needs more information to verify ${business}`,
    lead: `The bank needs more information to verify ${business}.`,
    next: 'The verification page lists what is missing and keeps what you entered. Your sandbox still works.',
  }),
};

function linkFrom({ decision, continueUrl, dashboardUrl }: DecidedVerification): MailBlock[] {
  if (decision === 'more_needed' && continueUrl !== null)
    return [{ kind: 'link', label: 'Continue verification', url: continueUrl }];
  if (dashboardUrl === null) return [];
  if (decision === 'approved')
    return [{ kind: 'link', label: 'Create API key', url: dashboardUrl + dashboardPages.keys('live') }];
  // The compliance page opens before live does.
  return [{ kind: 'link', label: 'View verification', url: dashboardUrl + dashboardPages.compliance('live') }];
}

export function verificationDecidedMail(decided: DecidedVerification): MailMessage {
  const { subject, lead, next } = wordsOf[decided.decision](decided.business);
  return { subject, lead, blocks: [{ kind: 'words', text: next }, ...linkFrom(decided)] };
}
