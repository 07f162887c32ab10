import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/api-error.ts';
import type { Access } from './access.ts';

const rule = 'must be sandbox or live';

function notNamed(): ApiError {
  return new ApiError({
    code: 'invalid_request',
    message: 'The environment query parameter must be sandbox or live.',
    details: { fields: [{ path: 'environment', rule }] },
  });
}

const notVerified = {
  code: 'verification_required',
  message: 'The live environment is available once your business is verified. Start verification under Compliance.',
} as const;

/** Which environment a person asks about, or why none. To look, sandbox is understood; what does something must say it. */
export function environmentOf(
  request: FastifyRequest,
  access: Access,
  hasLive: boolean,
): 'sandbox' | 'live' | ApiError {
  const { query } = request;
  const named: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, 'environment') : undefined;
  const isOfBoth = request.routeOptions.config.ofBothEnvironments === true;
  if (named === 'sandbox' || (named === undefined && (isOfBoth || access === 'readers'))) return 'sandbox';
  if (named !== 'live') return notNamed();
  if (isOfBoth) return 'sandbox';
  return hasLive ? 'live' : new ApiError(notVerified);
}
