import { showPounds } from '../../money/shown-amounts.ts';
import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailBlock } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';
import type { KeyAuthority } from '../key-authority.ts';

/** What was done to an API key. Its secret is not in it. */
export interface KeyChange extends KeyAuthority {
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

const permissions = { pay: 'create payouts and read data', read: 'read data only' };

/** What the key may do, so that a reader sees at once what a stranger could. */
export function describeAuthority({
  scope,
  networks,
  expiresAt,
  dailyLimit,
}: KeyAuthority): (readonly [string, string])[] {
  return [
    ['It can', permissions[scope]],
    ['Works from', networks.length === 0 ? 'any address' : networks.join(', ')],
    ...(dailyLimit === null ? [] : [['Daily limit', showPounds(dailyLimit)] as const]),
    ...(expiresAt === null ? [] : [['Expires on', showInstant(expiresAt)] as const]),
  ];
}

/** The key, what it may do, who changed it and when. `done` is "Created", "Rolled" or "Revoked". */
export function describeChange(change: KeyChange, done: string): MailBlock {
  const { business, environment, prefix, label, by, at } = change;
  return {
    kind: 'facts',
    facts: [
      ['Account', business],
      ['Environment', environment],
      ['Key', `${prefix}…`],
      ...(label === null ? [] : [['Label', label] as const]),
      ...describeAuthority(change),
      [`${done} by`, by],
      [`${done} on`, showInstant(at)],
    ],
  };
}

export function linkToKeys({ dashboardUrl, environment }: Pick<KeyChange, 'dashboardUrl' | 'environment'>): MailBlock {
  return { kind: 'link', label: 'View API keys', url: dashboardUrl + dashboardPages.keys(environment) };
}
