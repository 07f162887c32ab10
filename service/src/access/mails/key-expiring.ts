import type { MailMessage } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';
import { linkToKeys } from './key-change.ts';

interface ExpiringKey {
  business: string;
  environment: 'sandbox' | 'live';
  prefix: string;
  label: string | null;
  expiresAt: Date;
  dashboardUrl: string | null;
}

export function keyExpiringMail({ dashboardUrl, ...key }: ExpiringKey): MailMessage {
  const { business, environment, prefix, label, expiresAt } = key;
  return {
    subject: `A ${environment} API key for ${business} expires soon`,
    lead: `A ${environment} API key for ${business} expires on ${showInstant(expiresAt)}.`,
    blocks: [
      {
        kind: 'facts',
        facts: [
          ['Account', business],
          ['Environment', environment],
          ['Key', `${prefix}…`],
          ...(label === null ? [] : [['Label', label] as const]),
        ],
      },
      {
        kind: 'words',
        text: 'Requests with this key fail from then on. The date cannot be changed: create a new key and deploy it before then.',
      },
      ...(dashboardUrl === null ? [] : [linkToKeys({ dashboardUrl, environment })]),
    ],
  };
}
