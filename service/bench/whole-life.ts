import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@kelpie/dev/eventually.ts';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import type { TestDatabase } from '../test/harness/database.ts';
import { findViolations } from '../test/harness/invariants.ts';
import { startWorld, type World } from '../test/harness/world.ts';
import { call } from '../test/harness/client.ts';
import type { BenchServer } from './bench-server.ts';
import type { Counted, Window } from './completions.ts';
import { startHttpLoad } from './http-load.ts';
import {
  costOfEach,
  countFunctions,
  functionCostOfEach,
  readLifeCosts,
  type FunctionCostLine,
  type LifeCostLine,
} from './life-costs.ts';
import { rounded } from './report.ts';
import { createRequests } from './requests.ts';
import type { Running } from './slice.ts';
import { startWebhookReceiver } from './start-webhook-receiver.ts';

interface WholeLife {
  seconds: number;
  /** Callers, each of whom waits for its answer before it orders again. */
  connections: number;
  /** Of each partner: 1, or none. */
  withEndpoint: boolean;
  /** Has the server time each function, which takes some of its time. */
  withFunctions: boolean;
  /** Reads more of it: before the first payout, under load, and once everything is closed and delivered. */
  observe?: (lives: Lives, moment: 'ready' | 'loaded' | 'over') => Promise<void>;
  say: (text: string) => void;
}

/** What runs, and its database. */
export interface Lives {
  world: World;
  database: TestDatabase;
}

/** Payouts from the order to the closed books, through the bank over HTTP, its webhooks, the api and the worker. */
export interface WholeLifeLine extends LifeCostLine {
  name: 'whole_life';
  seconds: number;
  /** Ordered in that time, and closed in it or after. */
  payouts: number;
  accepted_per_s: number;
  closed_per_s: number;
  /** The average of all payments on Faster Payments, for comparison. */
  whole_uk_rail_per_s: 161;
  accepted_p50_ms: number;
  accepted_p99_ms: number;
  /** From the order to the last entry. The bank itself settles after a second. */
  closed_p50_s: number;
  closed_p99_s: number;
  open_at_end: number;
  violations: number;
  webhooks: number;
  functions?: FunctionCostLine[];
}

/** One wallet at the bank pays for some thousand payouts of this size. */
const partnerCount = 40;
const settleAfterMs = 1_000;
const warmUpMs = 10_000;

interface Counts {
  accepted: number;
  closed: number;
}

async function countPayouts({ superuserUrl }: TestDatabase): Promise<Counts> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<Counts>(
      `select count(*)::int as accepted, (count(*) filter (where state = 'completed'))::int as closed from kelpie.payouts`,
    );
    return rows[0] ?? { accepted: 0, closed: 0 };
  });
}

async function readTimes({ superuserUrl }: TestDatabase, fromMs: number): Promise<{ p50: number; p99: number }> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ p50: number; p99: number }>(
      `select percentile_cont(0.5) within group (order by took) as p50, percentile_cont(0.99) within group (order by took) as p99
       from (
         select extract(epoch from completed_at - first_tried_at)::float8 as took from kelpie.payouts where state = 'completed' and first_tried_at >= $1
       ) as lives`,
      [new Date(fromMs)],
    );
    return rows[0] ?? { p50: 0, p99: 0 };
  });
}

/** Each partner's own endpoint, at one receiver. */
async function addEndpoints(server: BenchServer, url: string, secrets: readonly string[]): Promise<void> {
  const receiver = await startWebhookReceiver();
  server.atEnd(async () => receiver.end());
  for (const key of secrets) {
    const { status, text } = await call({ url, key }, '/v1/webhooks', { method: 'POST', body: { url: receiver.url } });
    if (status !== 201) throw new Error(`an endpoint was not added: ${text}`);
  }
}

async function countDelivered({ superuserUrl }: TestDatabase): Promise<number> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from kelpie.webhook_deliveries where state = 'delivered'`,
    );
    return rows[0]?.count ?? 0;
  });
}

/** Reads indexes only: the server's time for this counts as the payouts'. */
async function isAllDone({ superuserUrl }: TestDatabase): Promise<boolean> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ is_done: boolean }>(
      `select not exists (select from kelpie.payout_leases) and not exists (select from kelpie.unnumbered_events)
         and not exists (select from kelpie.webhook_deliveries where state = 'pending') as is_done`,
    );
    return rows[0]?.is_done ?? false;
  });
}

async function startLives(server: BenchServer, { withEndpoint, withFunctions }: WholeLife) {
  const name = `kelpie_bench_${process.pid}`;
  const urls = await prepareDatabase(server.adminUrl, { database: name, anew: true });
  server.atEnd(async () => dropDatabase(server.adminUrl, name));
  const database = { ...urls, superuserUrl: urlFor(server.adminUrl, name) };
  if (withFunctions) await countFunctions(database.superuserUrl, name);
  const world = await startWorld({ database, settleAfterMs, atEnd: (end) => server.atEnd(end) });
  const secrets = [world.partner.key];
  while (secrets.length < partnerCount) secrets.push((await world.addPartner()).key);
  if (withEndpoint) await addEndpoints(server, world.api.url, secrets);
  const { worker } = world;
  if (worker === null) throw new Error('nobody follows the payouts');
  const readCosts = async () =>
    readLifeCosts({
      postmaster: server.postmaster,
      api: world.api.pid,
      worker: worker.pid,
      superuserUrl: database.superuserUrl,
    });
  return { world, database, secrets, readCosts };
}

const sayEachMs = 10_000;

/** Callers create payouts for this long. */
async function order(
  callers: Running,
  lengthMs: number,
  sayHowFar: () => Promise<void> = async () => undefined,
): Promise<Window & { counted: Counted }> {
  await callers.begun();
  const fromMs = Date.now();
  for (let leftMs = lengthMs; leftMs > 0; leftMs = fromMs + lengthMs - Date.now()) {
    await wait(Math.min(leftMs, sayEachMs));
    await sayHowFar();
  }
  const window = { fromMs, toMs: Date.now() };
  return { ...window, counted: await callers.finish(window) };
}

export async function measureWholeLife(server: BenchServer, options: WholeLife): Promise<WholeLifeLine> {
  const { seconds, connections, observe = async () => undefined, say } = options;
  const { world, database, secrets, readCosts } = await startLives(server, options);
  await observe({ world, database }, 'ready');
  const http = startHttpLoad();
  server.atEnd(async () => http.end());
  const requests = createRequests({ secrets }, '1.00');
  const start = () => http.start({ port: Number(new URL(world.api.url).port), connections, requests, status: 201 });
  const untilDone = async (): Promise<void> => {
    await eventually('all is closed and delivered', async () => isAllDone(database), 120_000);
  };
  say('Warming up.');
  await order(start(), warmUpMs);
  await untilDone();
  // From nothing open to nothing open: each payout then counts whole, however far its end is behind its order.
  const before = await countPayouts(database);
  const deliveredBefore = await countDelivered(database);
  const costsBefore = await readCosts();
  const { counted, fromMs, toMs } = await order(start(), seconds * 1_000, async () => {
    const { accepted, closed } = await countPayouts(database);
    say(`${accepted - before.accepted} accepted, ${closed - before.closed} closed`);
    await observe({ world, database }, 'loaded');
  });
  const atEnd = await countPayouts(database);
  await untilDone();
  const costsAfter = await readCosts();
  await observe({ world, database }, 'over');
  const violations = await findViolations({ ...world, database });
  for (const violation of violations.slice(0, 10)) say(violation);
  const times = await readTimes(database, fromMs);
  const payouts = (await countPayouts(database)).closed - before.closed;
  const perSecond = (count: number): number => rounded((count * 1_000) / (toMs - fromMs), 1);
  return {
    name: 'whole_life',
    seconds,
    payouts,
    accepted_per_s: perSecond(atEnd.accepted - before.accepted),
    closed_per_s: perSecond(atEnd.closed - before.closed),
    whole_uk_rail_per_s: 161,
    accepted_p50_ms: rounded(counted.p50Ms, 1),
    accepted_p99_ms: rounded(counted.p99Ms, 1),
    closed_p50_s: rounded(times.p50, 2),
    closed_p99_s: rounded(times.p99, 2),
    open_at_end: atEnd.accepted - atEnd.closed,
    violations: violations.length,
    webhooks: (await countDelivered(database)) - deliveredBefore,
    ...costOfEach(costsBefore, costsAfter, payouts),
    ...(options.withFunctions ? { functions: functionCostOfEach(costsBefore, costsAfter, payouts) } : {}),
  };
}
