import { call, type Client } from '../harness/client.ts';
import { listAt } from '@kelpie/dev/json.ts';
import type { EventsCast } from './events-cast.ts';
import type { RestlessEndpoint } from './events-endpoints.ts';
import { findFeedGaps, isFeedEvent, judgeEndpoint, type EndpointRequest, type FeedEvent } from './events-judge.ts';

// What the partners have in the end, by the API and by their own record.

const pageSize = 200;
const mostPages = 1_000;

async function readAfter(client: Client, sequence: number): Promise<FeedEvent[]> {
  const { json } = await call(client, `/v1/events?after=${sequence}&limit=${pageSize}`);
  return listAt(json, 'data').filter(isFeedEvent);
}

async function readFeed(client: Client): Promise<FeedEvent[]> {
  const feed: FeedEvent[] = [];
  for (let page = 0; page < mostPages; page += 1) {
    const more = await readAfter(client, feed.at(-1)?.sequence ?? 0);
    if (more.length === 0) return feed;
    feed.push(...more);
  }
  throw new Error('the feed does not end');
}

function repeatsOf(requests: readonly EndpointRequest[]): number {
  const accepted = requests.filter(({ isAccepted }) => isAccepted);
  return accepted.length - new Set(accepted.map(({ body }) => body.id)).size;
}

interface Judged {
  sentences: string[];
  figures: Record<string, number>;
}

/** Each kind of finding with its number, and all of them in sentences. */
export async function judgeAll(cast: EventsCast): Promise<Judged> {
  const { endpoints, partners, consumer, losing, elsewhere, world } = cast;
  const feeds = new Map<string, FeedEvent[]>();
  for (const { partnerId, key } of partners) feeds.set(partnerId, await readFeed({ url: world.api.url, key }));
  const feedOf = ({ partnerId }: { partnerId: string }): FeedEvent[] => feeds.get(partnerId) ?? [];
  const found = endpoints.map((endpoint) => judgeEndpoint(endpoint, feedOf(endpoint.partner)));
  const gaps = [...feeds].flatMap(([partnerId, feed]) => findFeedGaps(partnerId, feed));
  gaps.push(...found.flatMap((one) => one.gaps));
  const undelivered = found.flatMap((one) => one.undelivered);
  const outOfOrder = found.flatMap((one) => one.outOfOrder);
  const healed = await consumer.heal(async (after) => readAfter({ url: world.api.url, key: losing.key }, after));
  const forged = endpoints.reduce((sum, endpoint) => sum + endpoint.forged(), 0);
  const others = [...found.flatMap((one) => one.wrong), ...consumer.judge(feedOf(losing))];
  if (forged > 0) others.push(`${forged} signatures were wrong`);
  const followed = elsewhere.received.length + elsewhere.forged;
  if (followed > 0) others.push(`${followed} redirects were followed`);
  return {
    sentences: [...gaps, ...undelivered, ...outOfOrder, ...others],
    figures: {
      events: [...feeds.values()].reduce((sum, feed) => sum + feed.length, 0),
      ...countRequests(endpoints),
      gaps: gaps.length,
      undelivered: undelivered.length,
      out_of_order: outOfOrder.length,
      forged,
      lost: consumer.lost(),
      healed,
    },
  };
}

function countRequests(endpoints: readonly RestlessEndpoint[]): Record<string, number> {
  const failed = (mood: RestlessEndpoint['mood']): number =>
    endpoints
      .filter((endpoint) => endpoint.mood === mood)
      .reduce((sum, { requests }) => sum + requests.filter(({ isAccepted }) => !isAccepted).length, 0);
  const all = endpoints.flatMap(({ requests }) => requests);
  return {
    requests: all.length,
    deliveries: all.filter(({ isAccepted }) => isAccepted).length,
    repeats: endpoints.reduce((sum, { requests }) => sum + repeatsOf(requests), 0),
    refused: failed('fails'),
    redirected: failed('redirects'),
    unanswered: failed('hangs'),
  };
}
