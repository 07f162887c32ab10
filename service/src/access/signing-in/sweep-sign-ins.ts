import type { Clock } from '../../platform/clock.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import { sweepSignInRows } from './store.ts';

const atOnce = 5_000;
/** Somebody who asks for codes by the million leaves some for tomorrow. */
const mostRounds = 200;

/** Deletes codes, guesses and sessions that are long over; says how many. */
export async function sweepSignIns(calls: SingleCalls, clock: Clock): Promise<number> {
  let swept = 0;
  for (let round = 0; round < mostRounds; round += 1) {
    const found = await sweepSignInRows(calls, { at: clock.now(), atMost: atOnce });
    swept += found;
    if (found === 0) break;
  }
  return swept;
}
