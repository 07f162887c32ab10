// Which failures may pass by themselves, and how long to pause before the next attempt.
import type { Refused, Unreachable } from './attempt.ts';

export type Failure = Refused | Unreachable;

const firstPauseMs = 500;
const longestPauseMs = 8_000;

const passingStatuses: ReadonlySet<number> = new Set([408, 429]);

function mayPass(status: number): boolean {
  return status >= 500 || passingStatuses.has(status);
}

/** Whether the same request can succeed a little later. Codes of a later API are judged by their status. */
export function isWorthRetrying(failure: Failure): boolean {
  if (failure.kind === 'refused') {
    const { code, status } = failure.refusal;
    // No other conflict ends by itself.
    return code === 'idempotency_key_in_use' || mayPass(status);
  }
  if (failure.reason === 'aborted') return false;
  return failure.status === undefined || mayPass(failure.status);
}

/**
 * Anything between nothing and a bound that doubles, so that clients which failed together don't come back together; never
 * before Kelpie wants to be asked again.
 */
export function pauseBeforeRetryMs(failure: Failure, attempt: number, random: number): number {
  const jitterMs = random * Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
  const askedForMs = failure.kind === 'refused' ? (failure.refusal.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(jitterMs, askedForMs);
}

/** Said after Kelpie looked the key up and found no payout: they hold for every earlier attempt too. */
const saidAfterLookUp: ReadonlySet<string> = new Set([
  'approval_required',
  'idempotency_key_reused',
  'insufficient_funds',
  'limit_exceeded',
  'partner_not_active',
  'payout_not_created',
  'payout_request_closed',
  'recipient_account_rejected',
]);

/** Whether what was asked for may have been done, for all that this answer says. */
export function leavesOutcomeUnknown(failure: Failure, wasUnknown: boolean): boolean {
  if (failure.kind === 'unreachable') return true;
  const { code, status } = failure.refusal;
  if (saidAfterLookUp.has(code)) return false;
  return wasUnknown || status >= 500 || code === 'idempotency_key_in_use';
}

/** Ends early where the signal says so. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
