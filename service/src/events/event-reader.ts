import type { Clock } from '../platform/clock.ts';
import type { SingleCalls } from '../platform/database/single-call.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import { firstIdAt } from '../platform/ids.ts';
import type { EventType, NumberedEvent, PartnerEvent, PayoutVersions } from './event.ts';
import { findEvent, listEvents } from './store.ts';

/** An event as every consumer receives it. */
export interface EventBody {
  id: string;
  object: 'event';
  environment: PartnerContext['environment'];
  sequence: number;
  type: EventType;
  version: number;
  created_at: string;
  /** What it is about, as that was then. */
  data: object;
}

interface EventPage {
  events: EventBody[];
  /** The number after which the next page begins; null after the last. */
  cursor: string | null;
}

export interface EventReader {
  /** In order, from the one after that number on. */
  list(of: PartnerContext, page: { after: bigint; limit: number }): Promise<EventPage>;
  find(of: PartnerContext, id: string): Promise<EventBody | null>;
  /** Events of any partners, in the order given. */
  describe(events: readonly PartnerEvent[]): Promise<EventBody[]>;
}

interface ReaderDeps {
  calls: SingleCalls;
  clock: Clock;
  payouts: PayoutVersions;
}

const shownForMs = 90 * 24 * 60 * 60_000;

function oldestShown(clock: Clock): string {
  return firstIdAt(new Date(clock.now().getTime() - shownForMs));
}

export function eventBody({ environment }: PartnerContext, event: NumberedEvent, data: object): EventBody {
  return {
    id: event.id,
    object: 'event',
    environment,
    sequence: Number(event.sequence),
    type: event.type,
    version: event.subject.version,
    created_at: event.at.toISOString(),
    data,
  };
}

/** The one place that makes an event's body: the API and webhooks show the same. */
export function createEventReader({ calls, clock, payouts }: ReaderDeps): EventReader {
  const describe: EventReader['describe'] = async (events) => {
    const ofPayouts = events.filter(({ event }) => event.snapshot === null);
    const versions = ofPayouts.map(({ partnerId, environment, event }) => ({
      partnerId,
      environment,
      ...event.subject,
    }));
    const shown = versions.length === 0 ? [] : await payouts.showVersions(versions);
    const byEvent = new Map(ofPayouts.map(({ event }, at) => [event.id, shown[at]]));
    return events.flatMap(({ event, ...of }) => {
      const data = event.snapshot ?? byEvent.get(event.id);
      return data === undefined ? [] : [eventBody(of, event, data)];
    });
  };
  return {
    describe,
    async list(of, { after, limit }) {
      // One more than is asked for: it tells whether there is a next page.
      const found = await listEvents(calls, of, { after, sinceId: oldestShown(clock), limit: limit + 1 });
      const events = found.slice(0, limit);
      const cursor = found.length > limit ? (events.at(-1)?.sequence.toString() ?? null) : null;
      const { partnerId, environment } = of;
      return { events: await describe(events.map((event) => ({ partnerId, environment, event }))), cursor };
    },
    async find(of, id) {
      const event = await findEvent(calls, of, { id, sinceId: oldestShown(clock) });
      const [body] = event === null ? [] : await describe([{ ...of, event }]);
      return body ?? null;
    },
  };
}
