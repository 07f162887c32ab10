import { somethingWrong, reported, type FieldProblem } from '../../http/schema/field-problems.ts';
import { ApiError, type ApiErrorCode } from '../../platform/api-error.ts';
import { amountProblem } from '../pricing/limits.ts';
import { amountFrom } from './wire-form.ts';

interface Leaf {
  rule: string;
  isRequired: boolean;
}

const required = (rule: string): Leaf => ({ rule, isRequired: true });
const optional = (rule: string): Leaf => ({ rule, isRequired: false });

/** The fields of a recipient, with what each must look like. */
const leaves: ReadonlyMap<string, Leaf> = new Map(
  Object.entries({
    'recipient.type': optional('individual or business'),
    'recipient.first_name': required('1 to 80 characters'),
    'recipient.last_name': required('1 to 80 characters'),
    'recipient.email': optional('an email address'),
    'recipient.address.line1': required('string'),
    'recipient.address.line2': optional('string'),
    'recipient.address.city': required('string'),
    'recipient.address.postal_code': required('string'),
    'recipient.address.region': optional('at most 80 characters'),
    'recipient.bank.bank_name': required('string'),
    'recipient.bank.sort_code': required('6 digits'),
    'recipient.bank.account_number': required('8 digits'),
  }),
);

/** The fields that a problem is about: the field itself, or the required fields of an object that is missing. */
function leavesOf({ path }: FieldProblem): string[] {
  if (leaves.has(path)) return [path];
  return [...leaves].flatMap(([leaf, { isRequired }]) => (isRequired && isUnder(leaf, path) ? [leaf] : []));
}

/** Every missing or malformed field of the recipient with its rule, for clients that read nothing else. */
function missingFrom(problems: readonly FieldProblem[]): string[] {
  return [...new Set(problems.flatMap(leavesOf))].map((leaf) => `${leaf} (${leaves.get(leaf)?.rule ?? ''})`);
}

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
function rangeProblem(found: readonly FieldProblem[], body: unknown): FieldProblem[] {
  const text: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'amount_gbp') : undefined;
  if (typeof text !== 'string' || found.some(({ path }) => path === 'amount_gbp')) return [];
  return amountProblem(amountFrom(text), 'simulated')?.details.fields ?? [];
}

/** All that is wrong with a body at once, under the code of the first thing that a person would mend. */
export function refuseBody(found: readonly FieldProblem[], body: unknown): ApiError {
  const problems = [...rangeProblem(found, body), ...found];
  const code = codeOf(problems);
  const missing = missingFrom(problems);
  const details = {
    fields: reported(problems),
    ...(code === 'invalid_recipient' || missing.length > 0 ? { missing } : {}),
  };
  return new ApiError({ code, message: messageFor(code, problems), details });
}
