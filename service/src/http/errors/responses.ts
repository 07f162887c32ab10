import type { ApiErrorCode } from '../../platform/api-error.ts';
import type { AccessRule } from '../auth/access.ts';
import { errorCodes } from './error-codes.ts';
import { ErrorSchema } from './errors.ts';

const limitHeaders = {
  'RateLimit-Limit': { type: 'integer', description: 'The most requests that you can send at once.' },
  'RateLimit-Remaining': { type: 'integer', description: 'How many of them are left.' },
  'RateLimit-Reset': { type: 'integer', description: 'Seconds until the full number is available again.' },
  'Retry-After': { type: 'integer', description: 'Seconds to wait before the next attempt.' },
};

const retryHeaders = { 'Retry-After': limitHeaders['Retry-After'] };

/** An answer that is an error: what is described of it, and the codes that it can have. */
interface DeclaredError {
  description: string;
  'x-codes': readonly ApiErrorCode[];
}

function describe(status: number, codes: readonly ApiErrorCode[]): DeclaredError {
  return {
    ...ErrorSchema.ref,
    'x-codes': codes,
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].cause}`).join('\n\n'),
    ...(status === 429 ? { headers: limitHeaders } : status === 503 ? { headers: retryHeaders } : {}),
  };
}

/** The answers of a route that are errors: by their status, with the codes that each can have. */
export function errorResponses(...codes: ApiErrorCode[]): Record<number, object> {
  const byStatus = Map.groupBy(new Set(codes), (code) => errorCodes[code].status);
  return Object.fromEntries([...byStatus].map(([status, of]) => [status, describe(status, of)]));
}

/** The same of a route that looks something up for anybody. */
export function openErrors(...codes: ApiErrorCode[]): Record<number, object> {
  return errorResponses('rate_limited', 'internal_error', 'unavailable', ...codes, 'invalid_request');
}

/** The same of a route for anybody to which a body is sent. */
export function openBodyErrors(...codes: ApiErrorCode[]): Record<number, object> {
  return openErrors('invalid_json', 'payload_too_large', 'unsupported_media_type', ...codes);
}

/** The same of a route that asks who is calling. What follows from who may call is added by `declareAnswers`. */
export function keyedErrors(...codes: ApiErrorCode[]): Record<number, object> {
  return openErrors('unauthorized', ...codes);
}

/** The same of a route that asks who is calling, and to which a body can be sent. */
export function bodyErrors(...codes: ApiErrorCode[]): Record<number, object> {
  return keyedErrors('invalid_json', 'payload_too_large', 'unsupported_media_type', ...codes);
}

/** How each rule of access can refuse somebody who is known. */
const refusedByAccess: Readonly<Record<AccessRule['access'], readonly ApiErrorCode[]>> = {
  anybody: [],
  readers: [],
  payers: ['api_key_required'],
  people: ['session_required'],
  admins: ['api_key_required', 'session_required'],
};

/** What a route can refuse because of who asks, from where, and about which environment: the same for all of one rule. */
function accessErrors({ access, ofBothEnvironments = false }: AccessRule): ApiErrorCode[] {
  if (access === 'anybody') return [];
  const byEnvironment: ApiErrorCode[] = ofBothEnvironments ? [] : ['verification_required'];
  return [
    'unauthorized',
    'cross_site_request',
    ...refusedByAccess[access],
    ...byEnvironment,
    'session_changed',
    'invalid_request',
  ];
}

function isDeclaredError(answer: unknown): answer is DeclaredError {
  return typeof answer === 'object' && answer !== null && 'x-codes' in answer;
}

/** The answers of a route as they are described, and the codes of those that are errors, by their status. */
export interface DeclaredAnswers {
  response: Record<string, unknown>;
  codes: Record<string, readonly ApiErrorCode[]>;
}

/** A route's own answers, and those that follow from who may call it. */
export function declareAnswers(own: unknown, rule: AccessRule): DeclaredAnswers {
  const answers: [string, unknown][] = typeof own === 'object' && own !== null ? Object.entries(own) : [];
  const codes = answers.flatMap(([, answer]) => (isDeclaredError(answer) ? answer['x-codes'] : []));
  const errors = Object.entries(errorResponses(...codes, ...accessErrors(rule)));
  const described = errors.map(([status, answer]): [string, unknown] => {
    const { 'x-codes': _kept, ...rest } = { 'x-codes': undefined, ...answer };
    return [status, rest];
  });
  return {
    response: {
      ...Object.fromEntries(answers.filter(([, answer]) => !isDeclaredError(answer))),
      ...Object.fromEntries(described),
    },
    codes: Object.fromEntries(
      errors.map(([status, answer]) => [status, isDeclaredError(answer) ? answer['x-codes'] : []]),
    ),
  };
}
