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
  if (request.routeOptions.config.ofBothEnvironments === true) return 'sandbox';
  const { query } = request;
  const named: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, 'environment') : undefined;
  if (named === 'sandbox' || (named === undefined && access === 'readers')) return 'sandbox';
  if (named !== 'live') return notNamed();
  return hasLive ? 'live' : new Refusal(notVerified);
}
