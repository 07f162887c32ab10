import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailMessage } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';

interface ChangedRules {
  what: 'tightened' | 'asked' | 'loosened' | 'declined';
  business: string;
  environment: 'sandbox' | 'live';
  facts: readonly (readonly [label: string, value: string])[];
  by: string;
  at: Date;
  dashboardUrl: string;
}

const leads = {
  tightened: 'changed the approval rules',
  asked: 'asks another admin to loosen the approval rules',
  loosened: 'approved looser approval rules',
  declined: 'declined looser approval rules',
} as const satisfies Record<ChangedRules['what'], string>;

export function approvalRulesMail({
  what,
  business,
  environment,
  facts,
  by,
  at,
  dashboardUrl,
}: ChangedRules): MailMessage {
  const asked = what === 'asked';
  return {
    subject: asked
      ? `Approve looser approval rules of ${business}?`
      : `The ${environment} approval rules of ${business}: ${what}`,
    lead: `${by} ${leads[what]} of ${business} in ${environment}.${asked ? ' Nothing changes until another admin approves it, within 72 hours.' : ''}`,
    blocks: [
      {
        kind: 'facts',
        facts: [['Account', business], ['Environment', environment], ...facts, ['By', by], ['On', showInstant(at)]],
      },
      { kind: 'link', label: 'View the rules', url: dashboardUrl + dashboardPages.security(environment) },
    ],
  };
}
