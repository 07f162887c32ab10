import { ApiError } from '../api-error.ts';

/** Nothing was asked of the database, for want of a connection or of room to wait: whoever called can safely ask again. */
export function tooBusy(cause?: unknown): ApiError {
  return new ApiError({
    code: 'unavailable',
    message: 'Kelpie is overloaded. Retry shortly. For a payout, use the same Idempotency-Key.',
    internal: 'no connection to the database',
    retryAfterSeconds: 1,
    cause,
  });
}

export function refuseAsTooBusy(cause: unknown): never {
  throw tooBusy(cause);
}
