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
