import type { Clock } from '../clock.ts';
import type { Call, SingleCalls } from '../database/single-call.ts';

const rowsAtOnce = 1_000;
/** A run that finds more leaves them to the next. */
const mostRounds = 1_000;

/**
 * Calls a function that looks at some rows, erases what is too old in them, and says whether more may be left, until none is. It
 * goes on where the last run ended; safe to repeat.
 */
export async function eraseInRounds(
  call: Call,
  { calls, clock }: { calls: SingleCalls; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  for (let rounds = 0; rounds < mostRounds; rounds += 1) {
    // Another worker has the job by now.
    if (signal.aborted) return;
    const [row] = await calls.call<{ is_more_left: boolean }>(call, [clock.now(), rowsAtOnce]);
    if (row?.is_more_left !== true) return;
  }
}
