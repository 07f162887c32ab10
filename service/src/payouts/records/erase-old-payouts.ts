import type { Clock } from '../../platform/clock.ts';
import type { Call, SingleCalls } from '../../platform/database/single-call.ts';

const eraseCall: Call = {
  name: 'erase_old_payouts',
  text: 'select kelpie.erase_old_payouts($1, $2) as is_more_left',
  writes: true,
};

const payoutsAtOnce = 1_000;
/** A run that finds more leaves them to the next. */
const mostRounds = 1_000;

/** Erases people from payouts that are six years old. Goes on where the last run ended; safe to repeat. */
export async function eraseOldPayouts(
  { calls, clock }: { calls: SingleCalls; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  for (let rounds = 0; rounds < mostRounds; rounds += 1) {
    // Another worker has the job by now.
    if (signal.aborted) return;
    const [row] = await calls.call<{ is_more_left: boolean }>(eraseCall, [clock.now(), payoutsAtOnce]);
    if (row?.is_more_left !== true) return;
  }
}
