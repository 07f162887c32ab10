// The payout form: its fields, their errors, and the request made from them.
import type { CreatePayoutRequest } from '@kelpie/sdk';
import type { CopiedPayout, PayAgain } from '../../data/pay-again.ts';
import { amountFrom, penceOf, formatPounds } from '../../format/money.ts';

export interface Draft {
  amount: string;
  reference: string;
  /** Empty where it has to be chosen: the bank treats a person and a business as two recipients. */
  type: '' | 'individual' | 'business';
  firstName: string;
  lastName: string;
  sortCode: string;
  accountNumber: string;
  bankName: string;
  line1: string;
  line2: string;
  city: string;
  postalCode: string;
  email: string;
}

export type DraftField = keyof Draft;
export type Mistakes = Partial<Record<DraftField, string>>;

export const emptyDraft: Draft = {
  amount: '',
  reference: '',
  type: 'individual',
  firstName: '',
  lastName: '',
  sortCode: '',
  accountNumber: '',
  bankName: '',
  line1: '',
  line2: '',
  city: '',
  postalCode: '',
  email: '',
};

export interface Limits {
  min: string;
  max_per_payout: string;
}

const sortCodeDigits = 6;
const accountNumberDigits = 8;

function digitsOf(typed: string): string {
  return typed.replaceAll(/\D/g, '');
}

/** What people write between digits. Anything else is kept and reported. */
const onlyNumber = /^[\d\s-]*$/;

/** As 12-34-56, also while it is typed. Surplus digits are kept, so that the error can name them. */
export function shapeSortCode(typed: string): string {
  if (!onlyNumber.test(typed)) return typed;
  return (
    digitsOf(typed)
      .match(/\d{1,2}/g)
      ?.join('-') ?? ''
  );
}

export function shapeAccountNumber(typed: string): string {
  return onlyNumber.test(typed) ? digitsOf(typed) : typed;
}

const ibanForm = /^\s*[a-z]{2}\d{2}/i;

function numberMistake(typed: string, what: 'sort code' | 'account number', whole: number): string | undefined {
  if (ibanForm.test(typed)) return `This is an IBAN. Enter only the ${whole}-digit ${what}.`;
  if (!onlyNumber.test(typed)) return `Enter the ${whole}-digit ${what}, using digits only.`;
  const { length } = digitsOf(typed);
  if (length === whole) return undefined;
  if (length > whole) return `Enter ${whole} digits. You entered ${length}.`;
  return what === 'sort code'
    ? 'Enter the 6-digit sort code.'
    : 'Enter the 8-digit account number. If it has 7 digits, add a 0 at the start.';
}

/** Progress while typing: "4 of 6 digits". Undefined for an empty or a complete number. */
export function progressOf(field: 'sortCode' | 'accountNumber', typed: string): string | undefined {
  const isSortCode = field === 'sortCode';
  const whole = isSortCode ? sortCodeDigits : accountNumberDigits;
  if (!onlyNumber.test(typed)) return numberMistake(typed, isSortCode ? 'sort code' : 'account number', whole);
  const { length } = digitsOf(typed);
  return length === 0 || length === whole ? undefined : `${length} of ${whole} digits`;
}

function amountMistake(typed: string, limits: Limits | undefined): string | undefined {
  if (typed.trim() === '') return 'Enter an amount.';
  const amount = amountFrom(typed);
  if (amount === undefined) return 'Enter an amount in pounds, such as 120.00.';
  if (limits === undefined) return undefined;
  if (penceOf(amount) < penceOf(limits.min)) return `Minimum ${formatPounds(limits.min)}.`;
  if (penceOf(amount) > penceOf(limits.max_per_payout)) return `Maximum ${formatPounds(limits.max_per_payout)}.`;
  return undefined;
}

const needed: Partial<Record<DraftField, string>> = {
  type: 'Choose a person or a business.',
  firstName: 'Enter the name on the account.',
  lastName: 'Enter the name on the account.',
  bankName: "Enter the recipient's bank.",
  line1: 'Enter the street address.',
  city: 'Enter the town or city.',
  postalCode: 'Enter the postcode.',
};

/** Checked here, because a limit on the field itself would cut pasted text. */
const longest: readonly [DraftField, number][] = [
  ['reference', 120],
  ['firstName', 80],
  ['lastName', 80],
  ['bankName', 200],
  ['line1', 200],
  ['line2', 200],
  ['city', 200],
  ['postalCode', 20],
];

/** Everything that is wrong, by field. */
export function mistakesOf(draft: Draft, limits: Limits | undefined): Mistakes {
  const mistakes: Mistakes = {};
  const amount = amountMistake(draft.amount, limits);
  if (amount !== undefined) mistakes.amount = amount;
  const sortCode = numberMistake(draft.sortCode, 'sort code', sortCodeDigits);
  if (sortCode !== undefined) mistakes.sortCode = sortCode;
  const accountNumber = numberMistake(draft.accountNumber, 'account number', accountNumberDigits);
  if (accountNumber !== undefined) mistakes.accountNumber = accountNumber;
  if (draft.email !== '' && !/^[^@\s]+@[^@\s]+$/.test(draft.email.trim()))
    mistakes.email = 'Enter a valid email address.';
  for (const field of ['type', 'firstName', 'lastName', 'bankName', 'line1', 'city', 'postalCode'] as const) {
    const sentence = needed[field];
    if (draft[field].trim() === '' && sentence !== undefined) mistakes[field] = sentence;
  }
  for (const [field, most] of longest) {
    const { length } = draft[field].trim();
    if (length > most) mistakes[field] = `Use at most ${most} characters.`;
  }
  return mistakes;
}

/** From a draft without mistakes. */
export function orderFrom(draft: Draft): CreatePayoutRequest {
  const reference = draft.reference.trim();
  const line2 = draft.line2.trim();
  const email = draft.email.trim();
  return {
    amount_gbp: amountFrom(draft.amount) ?? draft.amount,
    ...(reference === '' ? {} : { reference }),
    recipient: {
      type: draft.type === 'business' ? 'business' : 'individual',
      first_name: draft.firstName.trim(),
      last_name: draft.lastName.trim(),
      ...(email === '' ? {} : { email }),
      address: {
        line1: draft.line1.trim(),
        ...(line2 === '' ? {} : { line2 }),
        city: draft.city.trim(),
        postal_code: draft.postalCode.trim(),
      },
      bank: {
        bank_name: draft.bankName.trim(),
        sort_code: digitsOf(draft.sortCode),
        account_number: digitsOf(draft.accountNumber),
      },
    },
  };
}

const fieldOfPath: Readonly<Record<string, DraftField>> = {
  amount_gbp: 'amount',
  reference: 'reference',
  'recipient.first_name': 'firstName',
  'recipient.last_name': 'lastName',
  'recipient.email': 'email',
  'recipient.address.line1': 'line1',
  'recipient.address.line2': 'line2',
  'recipient.address.city': 'city',
  'recipient.address.postal_code': 'postalCode',
  'recipient.bank.bank_name': 'bankName',
  'recipient.bank.sort_code': 'sortCode',
  'recipient.bank.account_number': 'accountNumber',
};

/** The API's field errors, by field of the form. */
export function mistakesFrom(fields: readonly { path: string; rule: string }[]): Mistakes {
  const mistakes: Mistakes = {};
  for (const { path, rule } of fields) {
    const field = fieldOfPath[path];
    if (field !== undefined) mistakes[field] = `It ${rule}.`;
  }
  return mistakes;
}

/** With the name alone, the last word is the last name, and whether it is a person is asked, not guessed. */
function draftForName(name: string): Draft {
  const words = name.trim().split(/\s+/);
  return { ...emptyDraft, type: '', firstName: words.slice(0, -1).join(' '), lastName: words.at(-1) ?? '' };
}

/** All but the account itself, which the API never returns whole. */
export function draftFor(again: PayAgain | undefined, copied: CopiedPayout | null): Draft {
  if (again === undefined) return emptyDraft;
  if (copied === null) return draftForName(again.name);
  const { payout, recipient } = copied;
  return {
    ...emptyDraft,
    amount: payout.amount_gbp,
    reference: payout.reference ?? '',
    type: recipient.type,
    firstName: recipient.first_name,
    lastName: recipient.last_name,
    bankName: recipient.bank.bank_name,
    line1: recipient.address.line1,
    line2: recipient.address.line2 ?? '',
    city: recipient.address.city,
    postalCode: recipient.address.postal_code,
    email: recipient.email ?? '',
  };
}
