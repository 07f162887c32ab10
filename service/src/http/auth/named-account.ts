import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/api-error.ts';
import type { Caller } from './caller.ts';

const changed = {
  code: 'session_changed',
  message: 'You switched accounts in another tab. Nothing was changed. Reload the page.',
} as const;

/**
 * A browser has one session for all its tabs. A page that was opened for one account says so, and is refused once the
 * session is another's: it would else show, and pay with, money that it does not name.
 */
export function otherAccountError({ headers }: FastifyRequest, partnerId: string): ApiError | undefined {
  const named = headers['kelpie-account'];
  return named !== undefined && named !== partnerId ? new ApiError(changed) : undefined;
}

/**
 * Whoever pays by a session must say from which account. Else a page that does not would pay from whichever account another
 * tab has gone to. A key is of one account for good.
 */
export function requireNamedAccount({ headers }: FastifyRequest, { via }: Caller): void {
  if (via === 'api' || headers['kelpie-account'] !== undefined) return;
  throw new ApiError({
    code: 'invalid_request',
    message: 'The Kelpie-Account header is required. Send account.id from GET /v1/auth/session.',
    details: { fields: [{ path: 'Kelpie-Account', rule: 'is required' }] },
  });
}
