import { ApiError } from '../platform/api-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { firstIdAt } from '../platform/ids.ts';
import type { EventSubject, NumberedEvent } from './event.ts';
import { findEvent, listEvents } from './store.ts';

/** With what it is about, as that was then. */
export interface DescribedEvent<Body extends object> {
  event: NumberedEvent;
  data: Body;
}

interface ReadDeps<Body extends object> {
  calls: SingleCalls;
  clock: Clock;
  payouts: EventSubject<Body>;
}

const shownForMs = 90 * 24 * 60 * 60_000;

function oldestShown(clock: Clock): string {
  return firstIdAt(new Date(clock.now().getTime() - shownForMs));
}

async function describe<Body extends object>(
  { payouts }: ReadDeps<Body>,
  of: PartnerContext,
  events: readonly NumberedEvent[],
): Promise<DescribedEvent<Body>[]> {
  const bodies = await payouts.showVersions(
    of,
    events.map(({ subject }) => subject),
  );
  return events.flatMap((event, at) => {
    const data = bodies[at];
    return data === undefined ? [] : [{ event, data }];
  });
}

export interface EventPage<Body extends object> {
  events: DescribedEvent<Body>[];
  /** The number after which the next page begins; null after the last. */
  cursor: string | null;
}

/** In order, from the one after that number on. */
export async function readEvents<Body extends object>(
  deps: ReadDeps<Body>,
  of: PartnerContext,
  { after, limit }: { after: bigint; limit: number },
): Promise<EventPage<Body>> {
  // One more than is asked for: it tells whether there is a next page.
  const found = await listEvents(deps.calls, of, { after, sinceId: oldestShown(deps.clock), limit: limit + 1 });
  const events = found.slice(0, limit);
  const cursor = found.length > limit ? (events.at(-1)?.sequence.toString() ?? null) : null;
  return { events: await describe(deps, of, events), cursor };
}

export async function readEvent<Body extends object>(
  deps: ReadDeps<Body>,
  of: PartnerContext,
  id: string,
): Promise<DescribedEvent<Body>> {
  const event = await findEvent(deps.calls, of, { id, sinceId: oldestShown(deps.clock) });
  const [described] = event === null ? [] : await describe(deps, of, [event]);
  if (described === undefined) throw new ApiError({ code: 'not_found', message: 'No event has this id.' });
  return described;
}
