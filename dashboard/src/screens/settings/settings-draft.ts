import type { Account, Compliance, UpdateAccountRequest } from '@kelpie/sdk';
import { amountFrom } from '../../format/money.ts';

/** Empty where nothing is set. */
export interface SettingsDraft {
  logoUrl: string;
  brandColor: string;
  billingEmail: string;
  contactEmail: string;
  walletLow: string;
}

export function settingsFrom(
  account: Pick<Account, 'logo_url' | 'brand_color' | 'wallet_low_usdc'>,
  compliance: { account: Pick<Compliance['account'], 'billing_email' | 'contact_email'> },
): SettingsDraft {
  return {
    logoUrl: account.logo_url ?? '',
    brandColor: account.brand_color ?? '',
    billingEmail: compliance.account.billing_email ?? '',
    contactEmail: compliance.account.contact_email ?? '',
    walletLow: account.wallet_low_usdc ?? '',
  };
}

/** Which addresses are set, and were not confirmed by whoever reads them. */
export interface Unconfirmed {
  billing: boolean;
  contact: boolean;
}

export function unconfirmedIn({ account }: { account: Compliance['account'] }): Unconfirmed {
  return {
    billing: account.billing_email !== null && account.billing_email_confirmed === false,
    contact: account.contact_email !== null && account.contact_email_confirmed === false,
  };
}

/** The API's form of a typed value. Undefined where the API would refuse it. */
type Reading = (typed: string) => string | undefined;

const fitting =
  (form: RegExp): Reading =>
  (typed) =>
    form.test(typed) ? typed : undefined;

const email = { read: fitting(/^[^@\s]+@[^@\s]+$/), sentence: 'Enter a valid email address.' };
const rules: Readonly<Record<keyof SettingsDraft, { read: Reading; sentence: string }>> = {
  logoUrl: {
    read: fitting(/^https:\/\/[^/?#@\\\s]+([/?#]\S*)?$/),
    sentence: 'Enter a web address that starts with https://',
  },
  brandColor: {
    read: (typed) => fitting(/^#[0-9a-f]{6}$/)(typed.toLowerCase()),
    sentence: 'Enter a colour such as #0f6e6e.',
  },
  billingEmail: email,
  contactEmail: email,
  walletLow: { read: amountFrom, sentence: 'Enter an amount in USDC, such as 500.' },
};

const fields = ['logoUrl', 'brandColor', 'billingEmail', 'contactEmail', 'walletLow'] as const;

export function wrongIn(draft: SettingsDraft): Partial<Record<keyof SettingsDraft, string>> {
  const wrong: Partial<Record<keyof SettingsDraft, string>> = {};
  for (const field of fields) {
    const typed = draft[field].trim();
    if (typed !== '' && rules[field].read(typed) === undefined) wrong[field] = rules[field].sentence;
  }
  return wrong;
}

const names = {
  logoUrl: 'logo_url',
  brandColor: 'brand_color',
  billingEmail: 'billing_email',
  contactEmail: 'contact_email',
  walletLow: 'wallet_low_usdc',
} as const;

/** Only changes are sent, because another admin may have changed the rest meanwhile. */
export function changeOf(saved: SettingsDraft, draft: SettingsDraft): UpdateAccountRequest {
  const change: UpdateAccountRequest = {};
  for (const field of fields) {
    const typed = draft[field].trim();
    const meant = rules[field].read(typed) ?? typed;
    if (meant !== saved[field]) change[names[field]] = meant === '' ? null : meant;
  }
  return change;
}

function emailChange(what: string, to: string | null | undefined): string[] {
  if (to === undefined) return [];
  return [to === null ? `no ${what} email` : `the ${what} email ${to}`];
}

/** What of a change has to be confirmed, as "the billing email a@b.example and no contact email". */
export function emailChanges(change: UpdateAccountRequest): string {
  return [...emailChange('billing', change.billing_email), ...emailChange('contact', change.contact_email)].join(
    ' and ',
  );
}

const ownColour = '#0f6e6e';

/** The typed colour, or ours. */
export function shownColour(draft: SettingsDraft): string {
  const typed = draft.brandColor.trim();
  return typed === '' || wrongIn(draft).brandColor !== undefined ? ownColour : typed;
}
