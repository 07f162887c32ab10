import { ApiError } from '../../platform/api-error.ts';
import { isVisible, type Payout } from '../model/payout.ts';

/** The key stands for another body. Names the fields that differ, and never what they hold. */
export function keyReused(payout: Payout, mismatched: string[]): ApiError {
  return new ApiError({
    code: 'idempotency_key_reused',
    message: 'This Idempotency-Key was already used with a different body. Use a new key for a new payout.',
    details: { ...(isVisible(payout) ? { payout_id: payout.id } : {}), mismatched },
  });
}

/** The key stands for an attempt of over a year ago, of which nothing was sent: another key is safe. */
export function keyTooOld(): ApiError {
  return new ApiError({
    code: 'idempotency_key_reused',
    message:
      'This Idempotency-Key was used over a year ago for a payout that was not created. Nothing was sent. Use a new key.',
  });
}
