// Creating a payout and following it to its end, in one call.
import type { Schema } from './described-api.ts';
import { KelpieError, KelpieUnreachable } from './errors.ts';
import { pause } from './retries.ts';
import type { CallOptions } from './request.ts';

type Payout = Schema<'Payout'>;

/** `processing`: the bank accepted it. `completed`: it arrived. */
export type WaitUntil = 'processing' | 'completed';

type EndStatus = 'completed' | 'failed' | 'cancelled' | 'returned';

/** The payout once there is no more to wait for. */
export type WaitedPayout<Until extends WaitUntil = 'completed'> = Payout & {
  status: EndStatus | (Until extends 'processing' ? 'processing' : never);
};

/** The payout exists, and the bank has not finished with it in the time that you gave. It goes on: nothing was cancelled. */
export class KelpieWaitTimeout extends Error {
  override readonly name = 'KelpieWaitTimeout';
  /** As it was when it was last read. */
  readonly payout: Payout;

  constructor(payout: Payout, cause?: unknown) {
    super(
      `The payout is still ${payout.status}. It exists and goes on. Read it later by its id, or make the same call again with the same Idempotency-Key.`,
      cause === undefined ? {} : { cause },
    );
    this.payout = payout;
  }
}

const ended: ReadonlySet<Payout['status']> = new Set(['completed', 'failed', 'cancelled', 'returned']);
const longestWaitSeconds = 20;
/** Between two questions, where Kelpie answers at once. */
const pauseMs = 1_000;

function isWaitedFor<Until extends WaitUntil>(payout: Payout, until: Until): payout is WaitedPayout<Until> {
  return ended.has(payout.status) || (until === 'processing' && payout.status === 'processing');
}

/** What a later question may get past. A refusal that stands, or a signal of the caller's, ends the wait. */
function mayPass(error: unknown): boolean {
  if (error instanceof KelpieUnreachable) return error.reason !== 'aborted';
  return error instanceof KelpieError && (error.status >= 500 || error.status === 429 || error.status === 408);
}

interface Waiting<Until extends WaitUntil> {
  until: Until;
  endsAtMs: number;
  options: CallOptions;
  get: (id: string, options: CallOptions & { wait: number }) => Promise<Payout>;
}

/** Asks until there is no more to wait for. Throws a KelpieWaitTimeout at the deadline. */
export async function waitForPayout<Until extends WaitUntil>(
  created: Payout,
  { until, endsAtMs, options, get }: Waiting<Until>,
): Promise<WaitedPayout<Until>> {
  let payout = created;
  let problem: unknown;
  while (!isWaitedFor(payout, until)) {
    const startedAtMs = performance.now();
    const leftMs = endsAtMs - startedAtMs;
    if (leftMs <= 0) throw new KelpieWaitTimeout(payout, problem);
    try {
      // A second less than there is, for the answer to arrive.
      const wait = Math.max(0, Math.min(longestWaitSeconds, Math.floor(leftMs / 1_000) - 1));
      const timeoutMs = options.timeoutMs === undefined ? undefined : options.timeoutMs + wait * 1_000;
      payout = await get(payout.id, { ...options, wait, timeoutMs, deadlineMs: leftMs });
      problem = undefined;
    } catch (error) {
      if (!mayPass(error)) throw error;
      problem = error;
    }
    const tookMs = performance.now() - startedAtMs;
    if (!isWaitedFor(payout, until) && tookMs < pauseMs)
      await pause(Math.min(pauseMs - tookMs, Math.max(0, endsAtMs - performance.now())), options.signal);
  }
  return payout;
}
