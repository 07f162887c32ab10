import { dashboardPages } from '../../platform/dashboard-pages.ts';
import type { MailBlock } from '../../platform/mail/layout.ts';

interface TopUpsLink {
  dashboardUrl: string | null;
  environment: 'sandbox' | 'live';
  label: string;
}

/** None where the worker does not know the dashboard's address. */
export function linkToTopUps({ dashboardUrl, environment, label }: TopUpsLink): MailBlock[] {
  return dashboardUrl === null ? [] : [{ kind: 'link', label, url: dashboardUrl + dashboardPages.topUps(environment) }];
}
