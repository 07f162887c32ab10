import { formatPounds } from '../../money/amounts.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { ExceededLimit } from '../records/create-payouts.ts';

const limitNames: Readonly<Record<ExceededLimit['limit'], string>> = {
  daily: "This account's daily limit",
  key: "This API key's daily limit",
  new_payee: 'The daily limit for a new payee',
};

/** Nothing was created, and the key is free: the same request works once the limit has room for it. */
export function limitExceeded({ limit, limitPence, leftPence, resetsAt }: ExceededLimit): ApiError {
  const [whole, left] = [formatPounds(limitPence), formatPounds(leftPence)];
  return new ApiError({
    code: 'limit_exceeded',
    message: `${limitNames[limit]} is ${whole} GBP, and ${left} GBP is left until 00:00 London time. Nothing was sent.`,
    details: { limit, limit_gbp: whole, left_gbp: left, resets_at: resetsAt.toISOString() },
  });
}
