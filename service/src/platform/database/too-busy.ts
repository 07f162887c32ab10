import { Refusal } from '../refusal.ts';

/** Nothing was asked of the database, for want of a connection or of room to wait: whoever called can safely ask again. */
export function tooBusy(): Refusal {
  return new Refusal({
    code: 'unavailable',
    message: 'We are too busy just now. Try again in a moment; for a payout, with the same Idempotency-Key.',
    internal: 'no connection to the database',
    retryAfterSeconds: 1,
  });
}

export function refuseAsTooBusy(): never {
  throw tooBusy();
}
