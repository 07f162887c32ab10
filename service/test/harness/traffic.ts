import { randomUUID } from 'node:crypto';
import { eventually } from '@kelpie/dev/eventually.ts';
import { call, payoutBody, type Client } from './client.ts';

/** Partners that create payouts and read them, without a pause, until they are stopped. */
export interface Traffic {
  /** How many payouts were created. */
  created(): number;
  /** What was answered other than it should, or not at all. */
  errors(): readonly string[];
  /** Waits for so many more payouts, or for the first error. */
  more(payouts: number): Promise<void>;
  /** Sends part of it to another api from now on. */
  add(client: Client): void;
  stop(): Promise<void>;
}

const callers = 8;
/** Enough to show that something is wrong: what is refused at once would go on for ever. */
const mostErrors = 50;

async function createAndRead(client: Client): Promise<void> {
  const headers = { 'idempotency-key': randomUUID() };
  const created = await call(client, '/v1/payouts', { method: 'POST', body: payoutBody(), headers });
  if (created.status !== 201) throw new Error(`POST /v1/payouts: ${created.status} ${created.text}`);
  const replayed = await call(client, '/v1/payouts', { method: 'POST', body: payoutBody(), headers });
  if (replayed.status !== 200 || replayed.id !== created.id) throw new Error(`a replay: ${replayed.text}`);
  for (const path of [`/v1/payouts/${created.id}`, '/v1/payouts?limit=5', '/v1/balance', '/v1/account']) {
    // Not held against openapi.json: an api of the version before does not know the newest fields.
    const read = await fetch(client.url + path, { headers: { authorization: `Bearer ${client.key}` } });
    const text = await read.text();
    if (read.status !== 200) throw new Error(`GET ${path}: ${read.status} ${text}`);
  }
}

export function startTraffic(first: Client): Traffic {
  const clients = [first];
  const errors: string[] = [];
  let created = 0;
  const stopping = new AbortController();
  const work = async (caller: number): Promise<void> => {
    for (let nth = caller; !stopping.signal.aborted && errors.length < mostErrors; nth += 1) {
      const client = clients[nth % clients.length] ?? first;
      try {
        await createAndRead(client);
        created += 1;
      } catch (error) {
        errors.push(String(error));
      }
    }
  };
  const working = Promise.all(Array.from({ length: callers }, async (_, caller) => work(caller)));
  return {
    created: () => created,
    errors: () => errors,
    add: (client) => void clients.push(client),
    async more(payouts) {
      const upto = created + payouts;
      await eventually(`${payouts} more payouts`, async () => created >= upto || errors.length > 0, 120_000);
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}
