import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { BankClock } from '../clock.ts';
import type { Pool } from '../database.ts';
import type { Log } from '../log.ts';
import { startLoop, type Loop } from '../loop.ts';
import { signBody } from './signature.ts';

const pollMs = 100;
const batchSize = 100;
const lanes = 16;
const timeoutMs = 5_000;
const firstPauseMs = 200;
const longestPauseMs = 30_000;
const mostTries = 20;

interface DeliveryDeps {
  pool: Pool;
  clock: BankClock;
  log: Log;
}

interface Endpoint {
  id: string;
  url: string;
  private_key: string;
}

interface Delivery {
  seq: bigint;
  object_id: string;
  body: string;
  tries: number;
}

/** Sends what is due, to every endpoint at once: one that does not answer holds up nobody else. */
export function startDelivery(deps: DeliveryDeps): Loop {
  const stopping = new AbortController();
  const busy = new Map<string, Promise<void>>();
  const loop = startLoop('webhook-delivery', pollMs, deps.log, async () => {
    for (const endpoint of await listWaitingEndpoints(deps.pool)) {
      if (busy.has(endpoint.id)) continue;
      const batch = deliverAll(deps, endpoint, stopping.signal)
        .catch((error: unknown) => deps.log('loop.failed', { loop: 'webhook-delivery', reason: String(error) }))
        .finally(() => busy.delete(endpoint.id));
      busy.set(endpoint.id, batch);
    }
  });
  return {
    async stop() {
      await loop.stop();
      stopping.abort();
      await Promise.all(busy.values());
    },
  };
}

async function listWaitingEndpoints(pool: Pool): Promise<Endpoint[]> {
  const { rows } = await pool.query<Endpoint>(
    `select id, url, private_key from webhook_endpoints endpoint
     where status = 'active' and exists (
       select from deliveries where endpoint_id = endpoint.id and outcome = 'waiting' and due_at <= now())
     limit 100`,
  );
  return rows;
}

/** Batch after batch, for as long as there is a whole one. */
async function deliverAll(deps: DeliveryDeps, endpoint: Endpoint, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await deliverBatch(deps, endpoint, stopping)) === batchSize);
}

/** Says how many it tried to deliver. */
async function deliverBatch(deps: DeliveryDeps, endpoint: Endpoint, stopping: AbortSignal): Promise<number> {
  const { rows } = await deps.pool.query<Delivery>(
    `select delivery.seq, coalesce(event.transfer_id, event.kyc_link_id, event.deposit_id) as object_id, event.body, delivery.tries
     from deliveries delivery join events event on event.id = delivery.event_id
     where endpoint_id = $1 and outcome = 'waiting' and due_at <= now()
     order by due_at, position, delivery.seq limit $2`,
    [endpoint.id, batchSize],
  );
  // One object's events go one after the other, as they were made; different objects' side by side.
  const queues = [...Map.groupBy(rows, (delivery) => delivery.object_id).values()];
  const key = createPrivateKey(endpoint.private_key);
  const work = async (): Promise<void> => {
    for (let queue = queues.shift(); queue !== undefined; queue = queues.shift()) {
      for (const delivery of queue) {
        if (stopping.aborted) return;
        await deliver(deps, { url: endpoint.url, key, delivery }, stopping);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return rows.length;
}

interface Sending {
  url: string;
  key: KeyObject;
  delivery: Delivery;
}

async function deliver({ pool, clock, log }: DeliveryDeps, sending: Sending, stopping: AbortSignal): Promise<void> {
  const { seq, tries } = sending.delivery;
  const arrived = await send(sending, clock.now(), stopping);
  // Cut off by our own end: that says nothing of the endpoint, and the next process sends it again.
  if (stopping.aborted && !arrived) return;
  if (arrived) {
    await pool.query(`update deliveries set outcome = 'delivered', tries = tries + 1 where seq = $1`, [seq]);
    return;
  }
  const triesNow = tries + 1;
  const pauseMs = Math.min(firstPauseMs * 2 ** tries, longestPauseMs);
  log('webhook.not_delivered', { tries: triesNow });
  await pool.query(
    `update deliveries set tries = $2::integer, due_at = now() + make_interval(secs => $3::double precision / 1000),
       outcome = case when $2::integer >= $4::integer then 'given_up' else outcome end
     where seq = $1 and outcome = 'waiting'`,
    [seq, triesNow, pauseMs, mostTries],
  );
}

/** Signed again for every try: a receiver refuses an old signature. */
async function send({ url, key, delivery }: Sending, at: Date, stopping: AbortSignal): Promise<boolean> {
  const signature = await signBody(delivery.body, key, at);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-webhook-signature': signature },
      body: delivery.body,
      redirect: 'manual',
      signal: AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
