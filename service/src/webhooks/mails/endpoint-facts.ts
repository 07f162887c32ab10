import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailBlock } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';

/** An endpoint in an email. Only the host of its address: the path may hold a secret of the partner's. */
export interface MailedEndpoint {
  business: string;
  endpoint: { url: string; environment: 'sandbox' | 'live'; description: string | null };
  at: Date;
  dashboardUrl: string | null;
}

/** `done` is "Created on" or the like. */
export function describeEndpoint(
  { business, endpoint, at }: MailedEndpoint,
  done: string,
  more: readonly (readonly [string, string])[] = [],
): MailBlock {
  const { environment, url, description } = endpoint;
  return {
    kind: 'facts',
    facts: [
      ['Account', business],
      ['Environment', environment],
      ['Host', new URL(url).host],
      ...(description === null ? [] : [['Description', description] as const]),
      ...more,
      [done, showInstant(at)],
    ],
  };
}

export function linkToWebhooks({ dashboardUrl, endpoint }: MailedEndpoint): MailBlock[] {
  if (dashboardUrl === null) return [];
  return [{ kind: 'link', label: 'View webhooks', url: dashboardUrl + dashboardPages.webhooks(endpoint.environment) }];
}
