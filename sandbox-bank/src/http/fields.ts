import { ApiError } from './api-error.ts';

interface TextRule {
  pattern: RegExp;
  /** Completes the sentence "KEY must be …". */
  rule: string;
}

/** Reads the fields of a body or a query. The first one that is wrong is refused by its name. */
export interface Fields {
  text(key: string, rule?: TextRule): string;
  optionalText(key: string, rule?: TextRule): string | null;
  choice<const Choice extends string>(key: string, choices: readonly Choice[]): Choice;
  /** A list of some of them, each once; an empty one where it is left out. */
  choices<const Choice extends string>(key: string, choices: readonly Choice[]): Choice[];
  optionalWholeNumber(key: string, range: { min: number; max: number }): number | null;
  optionalFlag(key: string): boolean;
  has(key: string): boolean;
  object(key: string): Fields;
  /** The refusal of a field whose value makes no sense for another reason. */
  apiError(key: string, rule: string): ApiError;
}

const anyText: TextRule = { pattern: /^[^\0]{1,500}$/s, rule: 'a string of 1 to 500 characters' };

function asWholeNumber(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  // A query has only texts; and whoever keeps amounts as texts may send them so.
  if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return undefined;
}

export function readFields(value: unknown, location: 'body' | 'query', prefix = ''): Fields {
  const get = (key: string): unknown =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  const apiError = (key: string, rule: string): ApiError =>
    new ApiError({
      code: 'invalid_parameters',
      message: `${prefix}${key} must be ${rule}.`,
      source: { location, key: `${prefix}${key}` },
    });
  const has = (key: string): boolean => get(key) !== undefined && get(key) !== null;
  const text = (key: string, { pattern, rule }: TextRule = anyText): string => {
    const given = get(key);
    if (typeof given !== 'string' || !pattern.test(given)) throw apiError(key, rule);
    return given;
  };
  return {
    text,
    has,
    apiError,
    optionalText: (key, rule) => (has(key) ? text(key, rule) : null),
    choice(key, choices) {
      const chosen = choices.find((choice) => choice === get(key));
      if (chosen === undefined) throw apiError(key, `one of ${choices.join(', ')}`);
      return chosen;
    },
    choices(key, choices) {
      const given = has(key) ? get(key) : [];
      const chosen = choices.filter((choice) => Array.isArray(given) && given.includes(choice));
      if (!Array.isArray(given) || given.length !== chosen.length) {
        throw apiError(key, `a list of ${choices.join(', ')}, each at most once`);
      }
      return chosen;
    },
    optionalWholeNumber(key, { min, max }) {
      if (!has(key)) return null;
      const number = asWholeNumber(get(key));
      if (number === undefined || number < min || number > max) {
        throw apiError(key, `a whole number from ${min} to ${max}`);
      }
      return number;
    },
    optionalFlag(key) {
      if (!has(key)) return false;
      const flag = get(key);
      if (typeof flag !== 'boolean') throw apiError(key, 'true or false');
      return flag;
    },
    object(key) {
      const inner = get(key);
      if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) throw apiError(key, 'an object');
      return readFields(inner, location, `${prefix}${key}.`);
    },
  };
}
