import type { RefusalCode } from '../platform/refusal.ts';
import { errorCodes } from './error-codes.ts';
import { ErrorSchema } from './errors.ts';

const limitHeaders = {
  'RateLimit-Limit': { type: 'integer', description: 'How many requests can come at once.' },
  'RateLimit-Remaining': { type: 'integer', description: 'How many of them are left.' },
  'RateLimit-Reset': { type: 'integer', description: 'In how many seconds all of them are there again.' },
  'Retry-After': { type: 'integer', description: 'In how many seconds it is worth asking again.' },
};

function describe(status: number, codes: readonly RefusalCode[]): object {
  return {
    ...ErrorSchema.ref,
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].cause}`).join('\n\n'),
    ...(status === 429 ? { headers: limitHeaders } : {}),
  };
}

/** The answers of a route that are errors: by their status, with the codes that each can have. */
export function refusals(...codes: RefusalCode[]): Record<number, object> {
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].status);
  return Object.fromEntries([...byStatus].map(([status, of]) => [status, describe(status, of)]));
}

/** The same of a route that looks something up for anybody. */
export function openRefusals(...codes: RefusalCode[]): Record<number, object> {
  return refusals('rate_limited', 'internal_error', 'unavailable', ...codes);
}

/** The same of a route that asks for a key. */
export function keyedRefusals(...codes: RefusalCode[]): Record<number, object> {
  return openRefusals('unauthorized', ...codes);
}

/** The same of a route that asks for a key, and to which a body can be sent. */
export function bodyRefusals(...codes: RefusalCode[]): Record<number, object> {
  return keyedRefusals('invalid_json', 'payload_too_large', 'unsupported_media_type', ...codes);
}
