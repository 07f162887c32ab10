import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@kelpie/dev/eventually.ts';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { call, type Client } from '../test/harness/client.ts';
import type { TestDatabase } from '../test/harness/database.ts';
import { createSimulatedPartner, depositToEach } from '../test/harness/partners.ts';
import { startApi, startWorker } from '../test/harness/processes.ts';
import { register } from '../test/webhooks/endpoint.ts';
import { startReceiver, type Receiver } from '../test/webhooks/receiver.ts';
import type { BenchServer } from './bench-server.ts';
import type { Window } from './completions.ts';
import { orderBody } from './requests.ts';

/** An api, a worker, and a partner on the simulated rail that pays and has webhooks. */
export interface WebhooksStack {
  database: TestDatabase;
  client: Client;
  addEndpoint(): Promise<BenchEndpoint>;
}

export interface BenchEndpoint {
  id: string;
  receiver: Receiver;
  enable(enabled: boolean): Promise<void>;
}

/** A million USDC: more than any run spends. */
const float = 1_000_000_000_000n;

export async function startWebhooksStack(server: BenchServer, name: string): Promise<WebhooksStack> {
  const urls = await prepareDatabase(server.adminUrl, { database: name, anew: true });
  const atEnd = (end: () => Promise<unknown>): void => server.atEnd(end);
  atEnd(async () => dropDatabase(server.adminUrl, name));
  const database = { ...urls, superuserUrl: urlFor(server.adminUrl, name) };
  const { url } = await startApi({ database, atEnd });
  await startWorker({ database, atEnd });
  const partner = await createSimulatedPartner(database);
  await depositToEach(database, [partner], float);
  const client = { url, key: partner.key };
  return {
    database,
    client,
    async addEndpoint() {
      const receiver = await startReceiver({ atEnd });
      const id = await register(client, receiver);
      const enable = async (enabled: boolean): Promise<void> => {
        const { status, text } = await call(client, `/v1/webhooks/${id}`, { method: 'PATCH', body: { enabled } });
        if (status !== 200) throw new Error(`the webhook could not be changed: ${text}`);
      };
      return { id, receiver, enable };
    },
  };
}

async function order({ url, key }: Client): Promise<void> {
  const answer = await fetch(`${url}/v1/payouts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: orderBody,
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`a payout was answered ${answer.status}: ${text}`);
}

const tickMs = 10;

/** Orders so many payouts a second, however long each answer takes, until it is over. Returns how many. */
export async function orderSteadily(client: Client, perSecond: number, over: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  const ordered: Promise<void>[] = [];
  const failures: unknown[] = [];
  while (!over.aborted && failures.length === 0) {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
    while (ordered.length < due) ordered.push(order(client).catch((error: unknown) => void failures.push(error)));
    await wait(tickMs);
  }
  await Promise.all(ordered);
  if (failures.length > 0) throw new Error('the load could not be kept up', { cause: failures[0] });
  return ordered.length;
}

/** From just before the commit of an event to its first attempt, and to its acceptance, at one endpoint. */
export interface DeliveryTimes {
  events: number;
  first_p50: number;
  first_p99: number;
  accepted_p50: number;
  accepted_p99: number;
}

/** Of the events that happened in the window. Ask once they are delivered. */
export async function readDeliveryTimes(
  { database }: WebhooksStack,
  { id }: BenchEndpoint,
  { fromMs, toMs }: Window,
): Promise<DeliveryTimes> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<DeliveryTimes>(
      `select count(*)::int as events,
         percentile_cont(0.5) within group (order by first_ms) as first_p50,
         percentile_cont(0.99) within group (order by first_ms) as first_p99,
         percentile_cont(0.5) within group (order by accepted_ms) as accepted_p50,
         percentile_cont(0.99) within group (order by accepted_ms) as accepted_p99
       from (
         select extract(epoch from min(a.at) - e.at)::float8 * 1000 as first_ms,
           extract(epoch from min(a.at + a.latency_ms * interval '1 millisecond') filter (where a.status between 200 and 299) - e.at)
             ::float8 * 1000 as accepted_ms
         from kelpie.events e join kelpie.webhook_attempts a on a.event_id = e.id and a.endpoint_id = $1
         where e.at >= to_timestamp($2::float8 / 1000) and e.at < to_timestamp($3::float8 / 1000)
         group by e.id, e.at
       ) as times`,
      [id, fromMs, toMs],
    );
    const [times] = rows;
    if (times === undefined || times.events === 0) throw new Error('nothing was sent while it was measured');
    return times;
  });
}

/** Until every payout is at its end, and the endpoint has all of its events. */
export async function untilDelivered({ database }: WebhooksStack, { id }: BenchEndpoint): Promise<void> {
  await eventually(
    'everything is delivered',
    async () =>
      asAdmin(database.superuserUrl, async (client) => {
        const { rows } = await client.query(
          `select from kelpie.payouts where state in ('sending', 'pending', 'processing')
           union all select from kelpie.unnumbered_events
           union all select from kelpie.webhook_deliveries where state = 'pending' and endpoint_id = $1 limit 1`,
          [id],
        );
        return rows.length === 0;
      }),
    300_000,
  );
}
