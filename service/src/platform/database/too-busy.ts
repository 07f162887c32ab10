import { ApiError } from '../api-error.ts';
import { databaseStateOf } from './database-state.ts';

/** What every 503 ends with. The header says how long. */
export const retryLater =
  'Retry after the number of seconds in Retry-After. For a payout, use the same Idempotency-Key.';

/** Nothing was asked of the database, for want of a connection or of room to wait: whoever called can safely ask again. */
export function tooBusy(cause?: unknown): ApiError {
  return new ApiError({
    code: 'unavailable',
    message: `Kelpie is overloaded. ${retryLater}`,
    internal: databaseStateOf(cause) ?? 'overloaded',
    cause,
  });
}
