import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailBlock } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';

/** What was done to an API key. Its secret is not in it. */
export interface KeyChange {
  business: string;
  environment: 'sandbox' | 'live';
  /** The start of the key, as lists show it. */
  prefix: string;
  label: string | null;
  /** The email address of the person who did it. */
  by: string;
  at: Date;
  dashboardUrl: string;
}

/** The key, who changed it and when. `done` is "Created" or "Revoked". */
export function describeChange({ business, environment, prefix, label, by, at }: KeyChange, done: string): MailBlock {
  return {
    kind: 'facts',
    facts: [
      ['Account', business],
      ['Environment', environment],
      ['Key', `${prefix}…`],
      ...(label === null ? [] : [['Label', label] as const]),
      [`${done} by`, by],
      [`${done} on`, showInstant(at)],
    ],
  };
}

export function linkToKeys({ dashboardUrl, environment }: KeyChange): MailBlock {
  return { kind: 'link', label: 'View API keys', url: dashboardUrl + dashboardPages.keys(environment) };
}
