import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/api-error.ts';
import type { Authentication } from './authentication.ts';

/** A hook, after `requireCaller`: what is done here to test money must not be tried on real money. */
export function sandboxOnly({ callerOf }: Pick<Authentication, 'callerOf'>) {
  return async (request: FastifyRequest): Promise<void> => {
    if (callerOf(request).environment === 'sandbox') return;
    throw new ApiError({
      code: 'sandbox_only',
      message: 'This operation exists in sandbox only. Use a sandbox key.',
    });
  };
}
