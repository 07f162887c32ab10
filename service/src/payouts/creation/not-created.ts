import { ApiError } from '../../platform/api-error.ts';
import type { Payout } from '../model/payout.ts';

/** Why no payout was created. Whichever it is, nothing was sent. */
type NotCreatedReason = 'bank_unreachable' | 'bank_refused' | 'rate_stale' | 'payments_paused' | 'recovery';

const causes: Readonly<Record<NotCreatedReason, string>> = {
  bank_unreachable: 'The bank is unavailable.',
  bank_refused: 'The bank refused the payout.',
  rate_stale: 'The exchange rate is out of date.',
  payments_paused: 'Payments are paused.',
  recovery: 'Payments are paused while we restore our records.',
};

export function notCreated(reason: NotCreatedReason, more: { internal?: string; isRecorded?: boolean } = {}): ApiError {
  return new ApiError({
    ...more,
    code: 'payout_not_created',
    message: `${causes[reason]} Nothing was sent. Retry with the same Idempotency-Key.`,
    details: { reason },
  });
}

/** The same from the attempt that is kept of it, for everyone who waited for it. */
export function reasonOf(attempt: Pick<Payout, 'bankState'> | null): NotCreatedReason {
  return attempt?.bankState === 'refused' ? 'bank_refused' : 'bank_unreachable';
}
