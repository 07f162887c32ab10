import { isDeepStrictEqual } from 'node:util';
import type { ReceivedBody } from '../webhooks/receiver.ts';

/** An event as the feed shows it. */
export type FeedEvent = Omit<ReceivedBody, 'webhook'>;

export function isFeedEvent(value: unknown): value is FeedEvent {
  return typeof value === 'object' && value !== null && 'sequence' in value && 'version' in value;
}

/** A signed request, as the endpoint saw it. */
export interface EndpointRequest {
  body: ReceivedBody;
  begunMs: number;
  /** When it was answered, or the connection closed. */
  endedMs: number | null;
  isAccepted: boolean;
}

interface JudgedEndpoint {
  name: string;
  /** Null for all. */
  types: readonly string[] | null;
  requests: readonly EndpointRequest[];
}

/** Sentences, by what they break. */
export interface Findings {
  gaps: string[];
  undelivered: string[];
  outOfOrder: string[];
  /** What was sent and is not what the feed shows. */
  wrong: string[];
}

/** Numbers that are not 1, 2, 3 and so on. */
export function findFeedGaps(name: string, feed: readonly FeedEvent[]): string[] {
  return feed
    .filter(({ sequence }, at) => sequence !== at + 1)
    .map(({ sequence }) => `the feed of ${name} has ${sequence} in the wrong place`);
}

/** What an endpoint was sent, against the feed that it was to get. */
export function judgeEndpoint(endpoint: JudgedEndpoint, feed: readonly FeedEvent[]): Findings {
  const wanted = feed.filter(({ type }) => endpoint.types?.includes(type) ?? true);
  return {
    gaps: findGaps(endpoint, wanted),
    undelivered: findUndelivered(endpoint, wanted),
    outOfOrder: [...findDisorder(endpoint), ...findOverlaps(endpoint)],
    wrong: findWrong(endpoint, wanted),
  };
}

function findGaps({ name, requests }: JudgedEndpoint, wanted: readonly FeedEvent[]): string[] {
  const before = new Map(wanted.map(({ id }, at) => [id, wanted[at - 1]?.sequence ?? null]));
  return requests
    .filter(({ body }) => before.get(body.id) !== body.webhook.previous_sequence)
    .map(({ body }) => `${name}: ${body.sequence} names ${body.webhook.previous_sequence} as the one before it`);
}

function findUndelivered({ name, requests }: JudgedEndpoint, wanted: readonly FeedEvent[]): string[] {
  const accepted = new Set(requests.filter(({ isAccepted }) => isAccepted).map(({ body }) => body.id));
  return wanted.filter(({ id }) => !accepted.has(id)).map(({ sequence }) => `${name} never accepted ${sequence}`);
}

/** An event may come again: a worker that is killed can't say that it was accepted. What counts is when each first was. */
function findDisorder({ name, requests }: JudgedEndpoint): string[] {
  const newest = new Map<string, number>();
  const accepted = new Set<string>();
  const found: string[] = [];
  for (const { body, isAccepted } of requests.toSorted((a, b) => (a.endedMs ?? 0) - (b.endedMs ?? 0))) {
    if (!isAccepted || accepted.has(body.id)) continue;
    accepted.add(body.id);
    if ((newest.get(body.data.id) ?? 0) > body.version)
      found.push(`${name}: version ${body.version} of payout ${body.data.id} came after a newer one`);
    else newest.set(body.data.id, body.version);
  }
  return found;
}

/** A worker that is killed closes its connections, so even then no second request about a payout may meet the first. */
function findOverlaps({ name, requests }: JudgedEndpoint): string[] {
  const byPayout = Map.groupBy(requests, ({ body }) => body.data.id);
  return [...byPayout].flatMap(([payout, ofOne]) => {
    const inOrder = ofOne.toSorted((a, b) => a.begunMs - b.begunMs);
    return inOrder
      .slice(1)
      .filter(({ begunMs }, at) => begunMs < (inOrder[at]?.endedMs ?? Infinity))
      .map(({ body }) => `${name}: ${body.sequence} of payout ${payout} was sent while another was under way`);
  });
}

function findWrong({ name, requests }: JudgedEndpoint, wanted: readonly FeedEvent[]): string[] {
  const byId = new Map(wanted.map((event) => [event.id, event]));
  return requests
    .filter(({ body: { webhook: _webhook, ...event } }) => !isDeepStrictEqual(byId.get(event.id), event))
    .map(
      ({ body }) =>
        `${name} was sent ${body.type} ${body.sequence}, which it is not to get or the feed shows otherwise`,
    );
}
