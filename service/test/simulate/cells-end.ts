import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@kelpie/dev/eventually.ts';
import { listAt } from '@kelpie/dev/json.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { verifyWholeLedger } from '../../src/app/commands/verify-ledger.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { call } from '../harness/client.ts';
import { findViolations } from '../harness/invariants.ts';
import { judgeDeliveries } from '../harness/judge-deliveries.ts';
import { judgeEvents } from '../harness/judge-events.ts';
import type { TestPartner } from '../harness/partners.ts';
import type { Cell, CellsCast } from './cells-cast.ts';
import { routerFor, type CellsClients } from './cells-clients.ts';
import type { RestlessEndpoint } from './events-endpoints.ts';
import { isFeedEvent, judgeEndpoint, type FeedEvent } from './events-judge.ts';

const quietWithinMs = 120_000;

/** Of the partners that live in a cell: what stays behind of others never ends there. */
const openSql = `
  with here as (
    select p.id from kelpie.partners p where not exists (select from cells.closed_partners c where c.partner_id = p.id)
  )
  select (select count(*)::int from kelpie.payouts p join here h on h.id = p.partner_id
      where p.state in ('sending', 'pending', 'processing'))
    + (select count(*)::int from kelpie.unnumbered_events e join here h on h.id = e.partner_id)
    + (select count(*)::int from kelpie.webhook_deliveries d join here h on h.id = d.partner_id where d.state = 'pending') as open`;

export async function becomeQuiet({ from, to }: CellsCast, say: (text: string) => void): Promise<string[]> {
  const until = performance.now() + quietWithinMs;
  for (;;) {
    let open = 0;
    for (const { database } of [from, to]) {
      const { rows } = await asAdmin(database.superuserUrl, async (client) => client.query<{ open: number }>(openSql));
      open += rows[0]?.open ?? 0;
    }
    if (open === 0) return [];
    if (performance.now() > until) return [`${open} payouts, events or deliveries are still open`];
    say(`${open} are still open`);
    await wait(1_000);
  }
}

/** Until all events are numbered. */
export async function untilNumbered({ from }: CellsCast): Promise<void> {
  await eventually(
    'all events are numbered',
    async () => {
      const { rows } = await asAdmin(from.database.superuserUrl, async (client) =>
        client.query<{ count: number }>('select count(*)::int as count from kelpie.unnumbered_events'),
      );
      return rows[0]?.count === 0;
    },
    quietWithinMs,
  );
}

/** A text that says all of a partner's rows in a cell. */
export async function readRemains({ database }: Cell, { partnerId }: TestPartner): Promise<string> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ said: string }>(
      `select string_agg(t.name || ' ' || d.rows || ' ' || d.digest, ', ' order by t.name) as said
       from cells.partner_tables t cross join lateral cells.digest_rows(t.name, $1) d`,
      [partnerId],
    );
    return rows[0]?.said ?? '';
  });
}

interface Counted {
  /** Of that partner, in its new cell. */
  there: number;
  lost: number;
  doubled: number;
}

/** Each payout that was answered, once where the partner lives now. */
async function countPayouts({ cast, acknowledged }: CellsClients, partner: TestPartner): Promise<Counted> {
  const known = acknowledged.get(partner.partnerId) ?? new Map<string, string>();
  const { rows } = await asAdmin(cast.to.database.superuserUrl, async (client) =>
    client.query<{ key: string; ids: string[] }>(
      `select idempotency_key as key, array_agg(id::text) as ids from kelpie.payouts
       where partner_id = $1 and state <> 'not_created' group by 1`,
      [partner.partnerId],
    ),
  );
  const there = new Map(rows.map(({ key, ids }) => [key, ids]));
  return {
    there: rows.length,
    lost: [...known].filter(([key, id]) => there.get(key)?.includes(id) !== true).length,
    doubled: rows.filter(({ ids }) => ids.length > 1).length,
  };
}

async function countPaidTwice({ bank }: CellsCast): Promise<number> {
  const { payments } = await bank.record();
  const byOrder = Map.groupBy(payments, ({ client_reference_id: order }) => order);
  return [...byOrder.values()].filter((paid) => paid.length > 1).length;
}

const pageSize = 200;

async function readFeed(clients: CellsClients, { key }: TestPartner, before: number): Promise<FeedEvent[]> {
  const feed: FeedEvent[] = [];
  for (;;) {
    const after = feed.at(-1)?.sequence ?? before;
    const { json } = await call({ url: routerFor(clients), key }, `/v1/events?after=${after}&limit=${pageSize}`);
    const more = listAt(json, 'data').filter(isFeedEvent);
    if (more.length === 0) return feed;
    feed.push(...more);
  }
}

async function judgeFeed(
  clients: CellsClients,
  endpoint: RestlessEndpoint,
): Promise<{ sentences: string[]; events: number }> {
  // It was opened when the history was there already.
  const before = Math.min(...endpoint.requests.map(({ body }) => body.sequence)) - 1;
  const feed = await readFeed(clients, clients.cast.moved, before);
  const { gaps, undelivered, outOfOrder, wrong } = judgeEndpoint(endpoint, feed);
  const missing = feed
    .filter(({ sequence }, at) => sequence !== before + at + 1)
    .map(({ sequence }) => `${sequence} is in the wrong place`);
  const sentences = [...missing, ...gaps, ...undelivered, ...outOfOrder, ...wrong];
  return { sentences, events: feed.length };
}

/** What is left of the moved partners in their old cell explains its days, and is whole. */
async function judgeOldCell({ from }: CellsCast): Promise<string[]> {
  const { differences } = await verifyWholeLedger(from.database.readerUrl, createLogger('judge', 'silent'));
  const ofEvents = await asAdmin(from.database.superuserUrl, async (client) => [
    ...(await judgeEvents(client)),
    ...(await judgeDeliveries(client)),
  ]);
  return [...differences.map((difference) => `the old cell: ${JSON.stringify(difference)}`), ...ofEvents];
}

export async function judgeCells(
  clients: CellsClients,
  { remains, endpoint }: { remains: ReadonlyMap<TestPartner, string>; endpoint: RestlessEndpoint },
): Promise<{ sentences: string[]; figures: Record<string, number> }> {
  const { cast, acknowledged } = clients;
  const { moved, small, to, from, bank, processes } = cast;
  const partners = [moved, small];
  const ids = partners.flatMap(({ partnerId }) => Array.from(acknowledged.get(partnerId)?.values() ?? []));
  const sentences = await findViolations({ database: to.database, bank, processes, acknowledged: ids });
  sentences.push(...(await judgeOldCell(cast)));
  for (const [partner, was] of remains)
    if ((await readRemains(from, partner)) !== was) sentences.push('what stayed behind of a partner has changed');
  const counted = [await countPayouts(clients, moved), await countPayouts(clients, small)];
  const lost = counted.reduce((sum, one) => sum + one.lost, 0);
  const doubled = counted.reduce((sum, one) => sum + one.doubled, 0) + (await countPaidTwice(cast));
  if (lost + doubled > 0) sentences.push(`${lost} payouts were lost and ${doubled} doubled`);
  const { sentences: ofFeed, events } = await judgeFeed(clients, endpoint);
  return {
    sentences: [...sentences, ...ofFeed],
    figures: { moved_payouts: counted[0]?.there ?? 0, acknowledged: ids.length, lost, doubled, events },
  };
}
