import type { FastifyRequest } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { ApiError } from '../../platform/api-error.ts';
import { patternRule } from './patterns.ts';

export interface FieldProblem {
  /** Where in the body, in dots: recipient.bank.sort_code. */
  path: string;
  rule: string;
}

const longestPath = 200;

export const dateTimeRule = 'must be a date-time, for example 2026-11-01T00:00:00Z';

const formatRules: Readonly<Record<string, string>> = {
  'date-time': dateTimeRule,
  email: 'must be an email address',
  uri: 'must be a URL that starts with https://',
};

const typeRules: Readonly<Record<string, string>> = {
  string: 'must be a string',
  'string,null': 'must be a string or null',
  object: 'must be an object',
  array: 'must be a list',
  integer: 'must be a whole number',
};

const anyOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

type Params = FastifySchemaValidationError['params'];

/** What each keyword of the validator asks for, in words. */
const rules: Readonly<Record<string, (params: Params) => string | undefined>> = {
  required: () => 'is required',
  additionalProperties: () => 'is not accepted here',
  pattern: ({ pattern }) => patternRule(pattern),
  const: ({ allowedValue }) => `must be ${String(allowedValue)}`,
  enum: ({ allowedValues }) =>
    Array.isArray(allowedValues) ? `must be ${anyOf.format(allowedValues.map(String))}` : undefined,
  format: ({ format }) => formatRules[String(format)],
  type: ({ type }) => typeRules[String(type)],
  minLength: () => 'must not be empty',
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters`,
  maxItems: ({ limit }) => `must have at most ${String(limit)} items`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
};

/** The validator speaks of the object around a missing or unknown field; a person wants the field itself. */
function describe({ keyword, params, message }: FastifySchemaValidationError): { field: unknown; rule: string } {
  return {
    field: params['missingProperty'] ?? params['additionalProperty'],
    rule: rules[keyword]?.(params) ?? message ?? keyword,
  };
}

/** Nobody mends more than this in one go, and a hostile body could have thousands. */
const maxReported = 50;

export function reported(problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.slice(0, maxReported);
}

export const somethingWrong = 'The request is invalid. See details.fields.';

/** What a caller is told where nothing more special fits. */
export function invalidRequest(problems: readonly FieldProblem[]): ApiError {
  return new ApiError({
    code: 'invalid_request',
    message: somethingWrong,
    details: { fields: reported(problems) },
  });
}

export function fieldProblems(problems: readonly FastifySchemaValidationError[]): FieldProblem[] {
  const found = new Map<string, FieldProblem>();
  for (const problem of problems) {
    const { field, rule } = describe(problem);
    const around = problem.instancePath.split('/').slice(1);
    const path = (typeof field === 'string' ? [...around, field] : around).join('.').slice(0, longestPath);
    // A text that is empty has also not the right form: one thing to mend is one problem.
    if (!found.has(path)) found.set(path, { path, rule });
  }
  return [...found.values()];
}

function isProblem(value: unknown): value is FastifySchemaValidationError {
  return typeof value === 'object' && value !== null && 'keyword' in value && 'instancePath' in value;
}

/** What is wrong with the body, on a route that looks at that itself. What is wrong elsewhere is thrown. */
export function bodyProblems({ validationError: error }: FastifyRequest): FieldProblem[] {
  if (error === undefined) return [];
  const problems: unknown = error.validation;
  if (error.validationContext !== 'body' || !Array.isArray(problems)) throw error;
  return fieldProblems(problems.filter(isProblem));
}
