import { setTimeout as wait } from 'node:timers/promises';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { hang } from '../test/webhooks/receiver.ts';
import type { BenchServer } from './bench-server.ts';
import type { Window } from './completions.ts';
import { startHttpLoad } from './http-load.ts';
import { estimateRatio, type Pair } from './paired-ratio.ts';
import { median, rounded } from './report.ts';
import { createRequests } from './requests.ts';
import {
  orderSteadily,
  readDeliveryTimes,
  startWebhooksStack,
  untilDelivered,
  type WebhooksStack,
} from './webhooks-stack.ts';

interface WebhooksLength {
  /** Of the steady load. */
  seconds: number;
  rounds: number;
  /** Each slice, the first of which is not measured. */
  warmMs: number;
  windowMs: number;
}

interface Webhooks extends WebhooksLength {
  say: (text: string) => void;
}

const perSecond = 100;
const perSecondInSlices = 50;
const connections = 8;

/** Each prints a line. They run one after the other, each on a database of its own. */
export async function* measureWebhooks(server: BenchServer, webhooks: Webhooks): AsyncGenerator<object> {
  yield await measureFirstAttempt(server, webhooks);
  yield await measureBesideHanging(server, webhooks);
  yield await measureLives(server, webhooks);
}

/** How long after its commit an event is first sent. */
async function measureFirstAttempt(server: BenchServer, { seconds, say }: Webhooks): Promise<object> {
  const stack = await startWebhooksStack(server, `kelpie_bench_first_${process.pid}`);
  const endpoint = await stack.addEndpoint();
  say(`first attempt: ${perSecond} payouts a second for ${seconds} s`);
  await orderSteadily(stack.client, perSecond, AbortSignal.timeout(2_000));
  const fromMs = Date.now();
  const ordered = await orderSteadily(stack.client, perSecond, AbortSignal.timeout(seconds * 1_000));
  const toMs = Date.now();
  await untilDelivered(stack, endpoint);
  const times = await readDeliveryTimes(stack, endpoint, { fromMs, toMs });
  return {
    name: 'webhook_first_attempt',
    payouts_per_s: rounded((ordered * 1_000) / (toMs - fromMs), 1),
    events: times.events,
    first_attempt_p50_ms: rounded(times.first_p50, 1),
    first_attempt_p99_ms: rounded(times.first_p99, 1),
    accepted_p50_ms: rounded(times.accepted_p50, 1),
    accepted_p99_ms: rounded(times.accepted_p99, 1),
    forged: endpoint.receiver.forged,
  };
}

/** One window after the other, the second with what is compared switched on. */
async function alternate(
  { rounds, warmMs, windowMs, say }: Webhooks,
  what: string,
  set: (isOn: boolean) => Promise<void>,
): Promise<{ off: Window; on: Window }[]> {
  const windows: { off: Window; on: Window }[] = [];
  const measure = async (isOn: boolean): Promise<Window> => {
    await set(isOn);
    await wait(warmMs);
    const fromMs = Date.now();
    await wait(windowMs);
    return { fromMs, toMs: Date.now() };
  };
  for (let round = 1; round <= rounds; round += 1) {
    say(`${what}: round ${round} of ${rounds}`);
    windows.push({ off: await measure(false), on: await measure(true) });
  }
  return windows;
}

function ratioOf(pairs: readonly Pair[]) {
  const { ratio, low, high } = estimateRatio(pairs);
  return { ratio: rounded(ratio, 3), low: rounded(low, 3), high: rounded(high, 3) };
}

/** What an endpoint that hangs costs another one of the same partner. */
async function measureBesideHanging(server: BenchServer, webhooks: Webhooks): Promise<object> {
  const stack = await startWebhooksStack(server, `kelpie_bench_hang_${process.pid}`);
  const [healthy, hanging] = [await stack.addEndpoint(), await stack.addEndpoint()];
  hanging.receiver.answer = hang;
  const over = new AbortController();
  const load = orderSteadily(stack.client, perSecondInSlices, over.signal);
  const windows = await alternate(webhooks, 'beside one that hangs', async (isOn) => {
    // What hangs would hang on into the next slice.
    if (!isOn) await hanging.receiver.leave();
    else await hanging.receiver.comeBack();
    await hanging.enable(isOn);
  });
  over.abort();
  await load;
  await untilDelivered(stack, healthy);
  const pairs: Pair[] = [];
  for (const { off, on } of windows) {
    const [alone, beside] = [await readDeliveryTimes(stack, healthy, off), await readDeliveryTimes(stack, healthy, on)];
    pairs.push({ base: alone.accepted_p50, head: beside.accepted_p50 });
  }
  return {
    name: 'webhook_beside_hanging',
    payouts_per_s: perSecondInSlices,
    rounds: pairs.length,
    alone_p50_ms: rounded(median(pairs.map(({ base }) => base)), 1),
    beside_p50_ms: rounded(median(pairs.map(({ head }) => head)), 1),
    ...ratioOf(pairs),
    hung: hanging.receiver.received.length,
  };
}

async function countCompleted({ database }: WebhooksStack, { fromMs, toMs }: Window): Promise<number> {
  return asAdmin(database.superuserUrl, async (client) => {
    const { rows } = await client.query<{ lives: number }>(
      `select count(*)::int as lives from kelpie.payouts
       where completed_at >= to_timestamp($1::float8 / 1000) and completed_at < to_timestamp($2::float8 / 1000)`,
      [fromMs, toMs],
    );
    return ((rows[0]?.lives ?? 0) * 1_000) / (toMs - fromMs);
  });
}

/** Payouts from the order to the end on the simulated rail, without an endpoint and with one. */
async function measureLives(server: BenchServer, webhooks: Webhooks): Promise<object> {
  const stack = await startWebhooksStack(server, `kelpie_bench_lives_${process.pid}`);
  const endpoint = await stack.addEndpoint();
  const http = startHttpLoad();
  server.atEnd(async () => http.end());
  const requests = createRequests({ secrets: [stack.client.key] }, '1.00');
  const fromMs = Date.now();
  const running = http.start({ port: Number(new URL(stack.client.url).port), connections, requests, status: 201 });
  await running.begun();
  const windows = await alternate(webhooks, 'whole lives', async (isOn) => endpoint.enable(isOn));
  await running.finish({ fromMs, toMs: Date.now() });
  const pairs: Pair[] = [];
  for (const { off, on } of windows)
    pairs.push({ base: await countCompleted(stack, off), head: await countCompleted(stack, on) });
  return {
    name: 'webhook_lives',
    rounds: pairs.length,
    without_per_s: rounded(median(pairs.map(({ base }) => base)), 1),
    with_per_s: rounded(median(pairs.map(({ head }) => head)), 1),
    ...ratioOf(pairs),
    deliveries: endpoint.receiver.received.length,
  };
}
