import { ApiError } from '../../platform/api-error.ts';

export function tooMany(retryAfterSeconds: number): ApiError {
  return new ApiError({
    code: 'rate_limited',
    message: 'Too many requests. Retry after the number of seconds in Retry-After.',
    retryAfterSeconds,
  });
}
