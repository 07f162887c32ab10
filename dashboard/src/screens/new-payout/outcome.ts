// What is known of a payout after an attempt to send it. A mistake here could pay twice, so it depends on error codes only.
import { KelpieError } from '@kelpie/sdk';

export type Outcome =
  | { kind: 'nothing-yet' }
  /** A code was emailed that confirms it. `isWrong` when the last one was wrong. */
  | { kind: 'code-wanted'; isWrong: boolean; mayExist: boolean }
  /** Kelpie said no, and the payout does not exist. */
  | { kind: 'refused'; error: KelpieError }
  /** Another order than the one whose outcome is unknown: it was not sent. */
  | { kind: 'another-order' }
  /** Unknown outcome: it may exist. Only the same payout may be sent again. */
  | { kind: 'unknown'; error: unknown };

/** A different payout than the one with the unknown outcome that used this key. */
export class AnotherOrder extends Error {
  override readonly name = 'AnotherOrder';
}

/** The API answers these after it looked the key up and found nothing, so they hold for every earlier attempt too. */
const saidAfterLookUp: ReadonlySet<string> = new Set([
  'approval_required',
  'insufficient_funds',
  'limit_exceeded',
  'partner_not_active',
  'payout_not_created',
  'payout_request_closed',
  'recipient_account_rejected',
]);

/** The API answers these before it looks the key up: they say nothing about an earlier attempt. */
const saidBeforeLookUp: ReadonlySet<string> = new Set([
  'api_key_required',
  'corridor_not_enabled',
  'cross_site_request',
  'idempotency_key_required',
  'invalid_amount',
  'invalid_json',
  'invalid_recipient',
  'invalid_request',
  'payload_too_large',
  'rate_limited',
  'session_changed',
  'session_required',
  'unauthorized',
  'unsupported_media_type',
  'verification_required',
]);

/** Whether a payout may have come of what was sent so far. */
export function mayExistAfter(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case 'nothing-yet':
    case 'refused':
      return false;
    case 'code-wanted':
      return outcome.mayExist;
    case 'another-order':
    case 'unknown':
      return true;
  }
}

/** What is known after an attempt that failed. `mayExist`: whether one before it may have become a payout. */
export function outcomeOf(error: unknown, mayExist: boolean): Outcome {
  if (error instanceof AnotherOrder) return { kind: 'another-order' };
  if (!(error instanceof KelpieError)) return { kind: 'unknown', error };
  const { code } = error;
  // An attempt whose answer was lost may still be on its way when the next one is asked for a code.
  if (code === 'confirmation_required') return { kind: 'code-wanted', isWrong: false, mayExist };
  if (code === 'invalid_confirm_code') return { kind: 'code-wanted', isWrong: true, mayExist };
  if (saidAfterLookUp.has(code)) return { kind: 'refused', error };
  if (saidBeforeLookUp.has(code) && !mayExist) return { kind: 'refused', error };
  // A 5xx, a key in use, a code of a later API: none says what was done.
  return { kind: 'unknown', error };
}
