import { somethingWrong, reported, type FieldProblem } from '../../http/schema/field-problems.ts';
import { parsePounds } from '../../money/amounts.ts';
import { ApiError, type ApiErrorCode } from '../../platform/api-error.ts';
import { amountProblem } from '../pricing/limits.ts';

/** What a field must look like, for whoever left it out. */
const hints: Readonly<Record<string, string>> = {
  'recipient.first_name': '1 to 80 characters',
  'recipient.last_name': '1 to 80 characters',
  'recipient.address': 'an object: line1, city, postal_code',
  'recipient.address.line1': 'text',
  'recipient.address.city': 'text',
  'recipient.address.postal_code': 'text',
  'recipient.bank': 'an object: bank_name, sort_code, account_number',
  'recipient.bank.bank_name': 'text',
  'recipient.bank.sort_code': '6 digits',
  'recipient.bank.account_number': '8 digits',
  recipient: 'an object: first_name, last_name, address, bank',
};

const messages = {
  invalid_recipient: 'The recipient details are incomplete or invalid. See details.fields.',
  corridor_not_enabled: 'Payouts go to the UK only. Send GB as country, or omit it.',
  invalid_request: somethingWrong,
} as const satisfies Partial<Record<ApiErrorCode, string>>;

type Refused = keyof typeof messages | 'invalid_amount';

/** The amount is one field, so its message says the rule itself. */
function messageFor(code: Refused, problems: readonly FieldProblem[]): string {
  if (code !== 'invalid_amount') return messages[code];
  const rule = problems.find(({ path }) => isUnder(path, 'amount_gbp'))?.rule ?? 'is invalid';
  return `amount_gbp ${rule}.`;
}

function isUnder(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`);
}

function codeOf(problems: readonly FieldProblem[]): Refused {
  const about = (field: string): boolean => problems.some(({ path }) => isUnder(path, field));
  if (about('amount_gbp')) return 'invalid_amount';
  if (about('recipient')) return 'invalid_recipient';
  return about('country') ? 'corridor_not_enabled' : 'invalid_request';
}

/** An amount of the right form can still be out of every range: that is told with the rest, and not after it is mended. */
function rangeProblem(body: unknown): FieldProblem[] {
  const text: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'amount_gbp') : undefined;
  const amount = typeof text === 'string' ? parsePounds(text) : undefined;
  return amount === undefined ? [] : (amountProblem(amount, 'simulated')?.details.fields ?? []);
}

/** All that is wrong with a body at once, under the code of the first thing that a person would mend. */
export function refuseBody(found: readonly FieldProblem[], body: unknown): ApiError {
  const problems = [...rangeProblem(body), ...found];
  const code = codeOf(problems);
  const missing = problems
    .filter(({ path, rule }) => rule === 'is required' && isUnder(path, 'recipient'))
    .map(({ path }) => (hints[path] === undefined ? path : `${path} (${hints[path]})`));
  const details = {
    fields: reported(problems),
    ...(code === 'invalid_recipient' || missing.length > 0 ? { missing } : {}),
  };
  return new ApiError({ code, message: messageFor(code, problems), details });
}
