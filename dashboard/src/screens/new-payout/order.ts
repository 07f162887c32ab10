// What a person fills in, what is wrong with it, and the order that it becomes.
import type { CreatePayoutRequest } from '@kelpie/sdk';
import type { PayAgain } from '../../data/pay-again.ts';
import { amountFrom, penceOf, formatPounds } from '../../format/money.ts';

export interface Draft {
  amount: string;
  reference: string;
  /** Empty where it has to be said: the bank takes the one and the other for two recipients. */
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

/** What people write between digits. Anything else is no part of a number, and stays where it is seen. */
const onlyNumber = /^[\d\s-]*$/;

/** As 12-34-56, also while it is typed. Nothing that was typed or pasted is dropped: what is too much is told. */
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
  if (ibanForm.test(typed)) return `This is an IBAN. Write the ${whole} digits of the ${what} alone.`;
  if (!onlyNumber.test(typed)) return `Write the ${whole} digits of the ${what}, and nothing else.`;
  const { length } = digitsOf(typed);
  if (length === whole) return undefined;
  if (length > whole)
    return `These are ${length} digits, and ${what === 'sort code' ? 'a' : 'an'} ${what} has ${whole}.`;
  return what === 'sort code'
    ? 'A sort code has 6 digits.'
    : 'An account number has 8 digits. Put a 0 before one of 7.';
}

/** How far a number is while it is typed: "4 of 6 digits". Undefined before it is begun, and once it is whole. */
export function progressOf(field: 'sortCode' | 'accountNumber', typed: string): string | undefined {
  const isSortCode = field === 'sortCode';
  const whole = isSortCode ? sortCodeDigits : accountNumberDigits;
  if (!onlyNumber.test(typed)) return numberMistake(typed, isSortCode ? 'sort code' : 'account number', whole);
  const { length } = digitsOf(typed);
  return length === 0 || length === whole ? undefined : `${length} of ${whole} digits`;
}

function amountMistake(typed: string, limits: Limits | undefined): string | undefined {
  if (typed.trim() === '') return 'Say how much the recipient shall receive.';
  const amount = amountFrom(typed);
  if (amount === undefined) return 'Write an amount in pounds, such as 120.00.';
  if (limits === undefined) return undefined;
  if (penceOf(amount) < penceOf(limits.min)) return `The least is ${formatPounds(limits.min)}.`;
  if (penceOf(amount) > penceOf(limits.max_per_payout)) return `The most is ${formatPounds(limits.max_per_payout)}.`;
  return undefined;
}

const needed: Partial<Record<DraftField, string>> = {
  type: 'Say whether it is a person or a business.',
  firstName: 'Write the name as the bank has it.',
  lastName: 'Write the name as the bank has it.',
  bankName: "Write the name of the recipient's bank.",
  line1: 'Write the street and number.',
  city: 'Write the town.',
  postalCode: 'Write the postcode.',
};

/** Told, and not kept by the field itself: that would cut what is pasted. */
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
  if (draft.email !== '' && !/^[^@\s]+@[^@\s]+$/.test(draft.email.trim())) mistakes.email = 'This is no email address.';
  for (const field of ['type', 'firstName', 'lastName', 'bankName', 'line1', 'city', 'postalCode'] as const) {
    const sentence = needed[field];
    if (draft[field].trim() === '' && sentence !== undefined) mistakes[field] = sentence;
  }
  for (const [field, most] of longest) {
    const { length } = draft[field].trim();
    if (length > most) mistakes[field] = `This has ${length} characters, and ${most} are the most.`;
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

/** What the API says of a field, beside that field. */
export function mistakesFrom(fields: readonly { path: string; rule: string }[]): Mistakes {
  const mistakes: Mistakes = {};
  for (const { path, rule } of fields) {
    const field = fieldOfPath[path];
    if (field !== undefined) mistakes[field] = `It ${rule}.`;
  }
  return mistakes;
}

/** The last word is the last name. Whether it was a person is not kept where it could be read: it is asked, not guessed. */
export function draftFor(again: PayAgain | undefined): Draft {
  const words = again?.name.trim().split(/\s+/) ?? [];
  if (again === undefined) return emptyDraft;
  return { ...emptyDraft, type: '', firstName: words.slice(0, -1).join(' '), lastName: words.at(-1) ?? '' };
}
