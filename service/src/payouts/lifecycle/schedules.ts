import { instantOf } from '../../platform/ids.ts';
import type { Transition } from '../model/transition.ts';

// When an open payout is looked at next. A webhook brings that forward to now; without one, these alone must do.

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** A caller's own bank calls end within 8 s; whoever has not finished by then has crashed. */
export const leaseMs = 8.5 * second;

/** The bank replays a repeated order for 24 h. Past this, one is never sent again by itself. */
export const sendAgainWithinMs = 23 * hour;

/**
 * A refusal after a try whose answer was lost counts from this age on. By then a request that was slow on its way has
 * reached the bank, and what the bank accepted is in its list.
 */
export const refusalProvenAfterMs = 2 * minute;

/** A payment that the bank accepted and then does not find for so long is a person's to look for. */
export const absentTooLongMs = 24 * hour;

/** How long something of an age is left alone: up to each age, so long; beyond the last, an hour. */
type Pauses = readonly { untilAge: number; everyMs: number }[];

function nextAfter(now: Date, createdAt: Date, pauses: Pauses): Date {
  const age = now.getTime() - createdAt.getTime();
  const everyMs = pauses.find(({ untilAge }) => age < untilAge)?.everyMs ?? hour;
  return new Date(now.getTime() + everyMs);
}

const retries: Pauses = [
  { untilAge: 15 * second, everyMs: 2 * second },
  { untilAge: 2 * minute, everyMs: 5 * second },
  { untilAge: 10 * minute, everyMs: 30 * second },
  { untilAge: hour, everyMs: 5 * minute },
];

/**
 * When the bank is asked again whether it has an order whose fate we do not know. By the payout's age, not by its tries: a
 * bank that can't be reached uses up many of those in no time.
 */
export function nextRetry(now: Date, createdAt: Date): Date {
  return nextAfter(now, createdAt, retries);
}

/** Most payments arrive within minutes, some within hours. */
const polls: Pauses = [
  { untilAge: minute, everyMs: 15 * second },
  { untilAge: 10 * minute, everyMs: minute },
  { untilAge: 24 * hour, everyMs: 4 * minute },
];

export function nextPollAt(now: Date, createdAt: Date): Date {
  return nextAfter(now, createdAt, polls);
}

/** What becomes of an open payout after a look at its payment. */
export function closeOrPollAgain({ id }: { id: string }, now: Date, isOver: boolean): Transition['schedule'] {
  return isOver ? { kind: 'close' } : { kind: 'watch', dueAt: nextPollAt(now, instantOf(id)) };
}

/** The simulated rail says beforehand when a payment arrives. */
export const simulatedArrivalMs = 3 * second;
