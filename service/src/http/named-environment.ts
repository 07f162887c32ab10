import type { FastifyRequest } from 'fastify';
import { Refusal } from '../platform/refusal.ts';
import type { Access } from './access.ts';

const rule = 'must be named: sandbox or live';

function notNamed(): Refusal {
  return new Refusal({
    code: 'invalid_request',
    message: 'Say in the address which environment this is about: ?environment=sandbox or ?environment=live.',
    details: { fields: [{ path: 'environment', rule }] },
  });
}

const notVerified = {
  code: 'verification_required',
  message: 'There is no live environment before the business is verified. Start that under Compliance.',
} as const;

/** Which environment a person asks about, or why none. To look, sandbox is understood; what does something must say it. */
export function environmentOf(request: FastifyRequest, access: Access, hasLive: boolean): 'sandbox' | 'live' | Refusal {
  const { query } = request;
  const named: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, 'environment') : undefined;
  const isOfBoth = request.routeOptions.config.ofBothEnvironments === true;
  if (named === 'sandbox' || (named === undefined && (isOfBoth || access === 'readers'))) return 'sandbox';
  if (named !== 'live') return notNamed();
  if (isOfBoth) return 'sandbox';
  return hasLive ? 'live' : new Refusal(notVerified);
}
