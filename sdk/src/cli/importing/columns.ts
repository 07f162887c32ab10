// The columns of a file of payouts, with the rules that the API has for them. A test holds them against openapi.json.
import { idempotencyKeyForm } from '../option-values.ts';

export interface Column {
  name: string;
  isRequired: boolean;
  /** Undefined for a good value. */
  problemOf: (value: string) => string | undefined;
}

/** In code points, as JSON Schema counts. */
const lengthOf = (value: string): number => Array.from(value).length;

/** What is empty is left out of the order, and what is required is checked before. */
function text(most: number): Column['problemOf'] {
  return (value) => {
    if (value.includes('\0')) return 'must not contain a NUL character';
    return lengthOf(value) > most ? `must have at most ${most} characters` : undefined;
  };
}

/** A spreadsheet that takes a number for a number drops its leading zeros. They are not added here: it is somebody's account. */
function digits(count: number): Column['problemOf'] {
  return (value) => {
    if (new RegExp(`^[0-9]{${count}}$`).test(value)) return undefined;
    const isShort = /^[0-9]+$/.test(value) && value.length < count;
    const hint = isShort ? '. A spreadsheet may have removed a leading zero: format the column as text' : '';
    return `must be ${count} digits${hint}`;
  };
}

function matching(form: RegExp, rule: string): Column['problemOf'] {
  return (value) => (form.test(value) ? undefined : rule);
}

const required = (name: string, problemOf: Column['problemOf']): Column => ({ name, isRequired: true, problemOf });
const optional = (name: string, problemOf: Column['problemOf']): Column => ({ name, isRequired: false, problemOf });

/** The API bounds some texts only by the size of a request. */
const anyLength = text(1_000);

export const columns: readonly Column[] = [
  required('idempotency_key', matching(idempotencyKeyForm, 'must be 8 to 100 letters, digits, "_", "-", ":" and "."')),
  required('amount_gbp', matching(/^[0-9]{1,12}\.[0-9]{2}$/, 'must be an amount with two decimals, such as 25.00')),
  optional('reference', text(120)),
  optional('type', matching(/^(individual|business)$/, 'must be individual or business')),
  required('first_name', text(80)),
  required('last_name', text(80)),
  optional('email', matching(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'must be an email address')),
  required('line1', anyLength),
  optional('line2', anyLength),
  required('city', anyLength),
  optional('region', text(80)),
  required('postal_code', anyLength),
  required('bank_name', anyLength),
  required('sort_code', digits(6)),
  required('account_number', digits(8)),
];

/** 04-00-04 and 04 00 04 are how sort codes are printed: nothing is guessed by leaving out what separates them. */
export function cleaned(name: string, value: string): string {
  const trimmed = value.trim();
  return name === 'sort_code' && /^\d\d([- ])\d\d\1\d\d$/.test(trimmed) ? trimmed.replaceAll(/[- ]/g, '') : trimmed;
}
