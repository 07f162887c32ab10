import { KelpieError, KelpieUnreachable, type Event, type Kelpie } from '../../index.ts';
import { pause } from '../interruption.ts';
import { forwardEvent, type Attempt, type Receiver } from './forward.ts';
import type { Place, PlaceFile } from './place.ts';

const pageSize = 200;
const pollMs = 500;
const firstRetryMs = 500;
const longestRetryMs = 15_000;

export interface Listening {
  kelpie: Kelpie;
  receiver: Receiver;
  placeFile: PlaceFile;
  report: {
    forwarded(event: Event, attempt: Attempt): void;
    refused(event: Event, attempt: Attempt, retryMs: number): void;
    unreachable(retryMs: number): void;
    /** The feed no longer has these. */
    expired(from: number, to: number): void;
  };
}

function backoffMs(failures: number): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 20));
}

/** Undefined for a failure that does not pass by itself. */
function retryOf(error: unknown, failures: number): number | undefined {
  if (error instanceof KelpieUnreachable) return backoffMs(failures);
  const isPassing = error instanceof KelpieError && (error.status === 429 || error.status >= 500);
  return isPassing ? Math.max(backoffMs(failures), (error.retryAfterSeconds ?? 0) * 1_000) : undefined;
}

/** The next events; none once it is interrupted. A line that is broken is tried again without end: only the user knows when it is enough. */
async function readNext({ kelpie, report }: Listening, after: number, signal: AbortSignal): Promise<Event[]> {
  for (let failures = 1; ; failures += 1) {
    try {
      return (await kelpie.events.list({ after, limit: pageSize }, { signal })).data;
    } catch (error) {
      if (signal.aborted) return [];
      const retryMs = retryOf(error, failures);
      if (retryMs === undefined) throw error;
      report.unreachable(retryMs);
      if (!(await pause(retryMs, signal))) return [];
    }
  }
}

/** Until the receiver accepts it: what comes after it waits, so nothing is skipped and the order holds. False once interrupted. */
async function deliver(
  { receiver, report }: Listening,
  event: Event,
  previous: number | null,
  signal: AbortSignal,
): Promise<boolean> {
  for (let failures = 1; ; failures += 1) {
    const attempt = await forwardEvent(receiver, event, previous, signal);
    if (attempt.isAccepted) {
      report.forwarded(event, attempt);
      return true;
    }
    if (signal.aborted) return false;
    const retryMs = backoffMs(failures);
    report.refused(event, attempt, retryMs);
    if (!(await pause(retryMs, signal))) return false;
  }
}

/** Forwards one event after the other until it is interrupted. The place is written after each, so a kill repeats one at most. */
export async function followEvents(listening: Listening, from: Place, signal: AbortSignal): Promise<Place> {
  let place = from;
  while (!signal.aborted) {
    const events = await readNext(listening, place.sequence, signal);
    const first = events[0]?.sequence ?? 0;
    if (first > place.sequence + 1) listening.report.expired(place.sequence + 1, first - 1);
    for (const event of events) {
      if (!(await deliver(listening, event, place.previous, signal))) return place;
      place = { webhookId: from.webhookId, sequence: event.sequence, previous: event.sequence };
      listening.placeFile.write(place);
    }
    if (events.length < pageSize) await pause(pollMs, signal);
  }
  return place;
}
