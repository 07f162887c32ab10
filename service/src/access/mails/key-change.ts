import type { MailBlock } from '../../platform/mail/layout.ts';
import { showInstant } from '../../platform/mail/shown-instant.ts';

/** What was done to an API key. Its secret is not in it. */
export interface KeyChange {
  business: string;
  environment: 'sandbox' | 'live';
  /** The start of the key, as lists show it. */
  prefix: string;
  label: string | null;
  /** The address of whoever did it. */
  by: string;
  at: Date;
  /** Where the keys are listed; null where there is no dashboard. */
  keysUrl: string | null;
}

/** The key, and by whom and when; `done` completes "… by". */
export function describeChange({ business, environment, prefix, label, by, at }: KeyChange, done: string): MailBlock {
  return {
    kind: 'facts',
    facts: [
      ['Business', business],
      ['Key', `${prefix}…`],
      ...(label === null ? [] : [['Label', label] as const]),
      ['Environment', environment],
      [`${done} by`, by],
      ['When', showInstant(at)],
    ],
  };
}

export function linkToKeys({ keysUrl }: KeyChange): MailBlock[] {
  return keysUrl === null ? [] : [{ kind: 'link', label: 'See the API keys', url: keysUrl }];
}
