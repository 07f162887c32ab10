import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@kelpie/dev/eventually.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { Agent } from 'undici';
import { inParallel } from '../src/platform/in-parallel.ts';
import { payoutBody } from '../test/harness/client.ts';
import { createSimulatedPartner } from '../test/harness/partners.ts';
import { startApi, startWorker, type ApiProcess } from '../test/harness/processes.ts';
import type { BenchServer } from './bench-server.ts';
import { rounded } from './report.ts';

interface WaitersLine {
  name: 'waiters';
  waiters: number;
  partners: number;
  changes_per_s: number;
  /** With the status that the payout changed to. */
  answered: number;
  /** From the instant in the payout's history, which is before its commit, to the whole answer. */
  p50_ms: number;
  p99_ms: number;
  max_ms: number;
}

const payoutsOfPartner = 100;
const createdAtOnce = 32;
/** More than all payments on Faster Payments in a second. */
const changesPerSecond = 250;
const openedPerSecond = 1_000;
const workers = 2;
/** How often one asks at most, 20 seconds each time. */
const mostTries = 10;

interface Waiter {
  key: string;
  payoutId: string;
}

interface Bench {
  database: { serviceUrl: string; superuserUrl: string };
  api: ApiProcess;
  agent: Agent;
}

async function ask({ api, agent }: Bench, key: string, path: string, order?: object): Promise<unknown> {
  const { statusCode, body } = await agent.request({
    origin: api.url,
    path,
    method: order === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(order === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    },
    ...(order === undefined ? {} : { body: JSON.stringify(order) }),
  });
  const text = await body.text();
  assert(statusCode === 200 || statusCode === 201, `${statusCode}: ${text}`);
  const answer: unknown = JSON.parse(text);
  return answer;
}

/** Payouts that the simulated rail has accepted. No worker runs yet, so they stay as they are. */
async function createAll(bench: Bench, count: number): Promise<Waiter[]> {
  const waiters: Waiter[] = [];
  const partners = Math.ceil(count / payoutsOfPartner);
  for (let partner = 0; partner < partners; partner += 1) {
    const { key } = await createSimulatedPartner(bench.database);
    const ofPartner = Math.min(payoutsOfPartner, count - waiters.length);
    const orders = async function* (): AsyncGenerator<object> {
      for (let made = 0; made < ofPartner; made += 1) yield payoutBody({ amount_gbp: '1.00' });
    };
    await inParallel(orders(), createdAtOnce, async (order) => {
      waiters.push({ key, payoutId: textAt(await ask(bench, key, '/v1/payouts', order), 'id') });
    });
  }
  return waiters;
}

/** When each payout is looked at: this decides when it changes. */
async function makeDue({ database }: Bench, waiters: readonly Waiter[], from: string, apartMs: number): Promise<void> {
  await asAdmin(database.superuserUrl, async (client) =>
    client.query(
      `update kelpie.payout_leases l set due_at = now() + $2::interval + (w.place - 1) * $3 * interval '1 millisecond'
       from unnest($1::uuid[]) with ordinality as w (id, place) where l.payout_id = w.id`,
      [waiters.map(({ payoutId }) => payoutId), from, apartMs],
    ),
  );
}

/** As a partner does: asks again as long as nothing has changed. Says when the whole answer was there. */
async function waitForChange(bench: Bench, { key, payoutId }: Waiter): Promise<number> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const status = textAt(await ask(bench, key, `/v1/payouts/${payoutId}?wait=20`), 'status');
    const answeredAt = Date.now();
    if (status === 'completed') return answeredAt;
    assert.equal(status, 'processing');
  }
  throw new Error(`payout ${payoutId} has not changed`);
}

async function untilAllWait({ metricsUrl }: ApiProcess, count: number): Promise<void> {
  await eventually(`${count} requests wait`, async () =>
    (await (await fetch(metricsUrl)).text()).includes(`\nkelpie_waiting_requests ${count}\n`),
  );
}

/** A few at a time: it is waiting that is measured, not to connect. */
async function openAll(bench: Bench, waiters: readonly Waiter[]): Promise<Promise<number>[]> {
  const answers: Promise<number>[] = [];
  for (const [at, waiter] of waiters.entries()) {
    answers.push(waitForChange(bench, waiter));
    if (at % (openedPerSecond / 100) === 0) await wait(10);
  }
  await untilAllWait(bench.api, waiters.length);
  return answers;
}

async function readChanges({ database }: Bench): Promise<Map<string, number>> {
  const { rows } = await asAdmin(database.superuserUrl, async (client) =>
    client.query<{ id: string; at: Date }>(
      `select payout_id as id, at from kelpie.payout_history where state = 'completed'`,
    ),
  );
  return new Map(rows.map(({ id, at }) => [id, at.getTime()]));
}

async function untilNumbered({ database }: Bench): Promise<void> {
  await eventually('every event is numbered', async () => {
    const { rows } = await asAdmin(database.superuserUrl, async (client) =>
      client.query('select from kelpie.unnumbered_events limit 1'),
    );
    return rows.length === 0;
  });
}

/** Requests that wait on one api process, for payouts that two workers complete one after the other. */
export async function measureWaiters(
  server: BenchServer,
  { waiters: count, say }: { waiters: number; say: (text: string) => void },
): Promise<WaitersLine> {
  const name = `kelpie_bench_${process.pid}`;
  const urls = await prepareDatabase(server.adminUrl, { database: name, anew: true });
  server.atEnd(async () => dropDatabase(server.adminUrl, name));
  const database = { ...urls, superuserUrl: urlFor(server.adminUrl, name) };
  const ownEnd = { database, atEnd: (end: () => Promise<unknown>) => server.atEnd(end) };
  const api = await startApi(ownEnd);
  const agent = new Agent({ headersTimeout: 60_000, bodyTimeout: 60_000 });
  server.atEnd(async () => agent.destroy());
  const bench = { database, api, agent };
  const waiters = await createAll(bench, count);
  await makeDue(bench, waiters, '1 day', 0);
  for (let started = 0; started < workers; started += 1) await startWorker(ownEnd);
  await untilNumbered(bench);
  say(`${count} payouts are there`);
  const opened = await openAll(bench, waiters);
  say(`${count} requests wait`);
  await makeDue(bench, waiters, '1 second', 1_000 / changesPerSecond);
  const answeredAt = await Promise.all(opened);
  const changes = await readChanges(bench);
  const took = waiters
    .map(({ payoutId }, at) => (answeredAt[at] ?? Number.NaN) - (changes.get(payoutId) ?? Number.NaN))
    .toSorted((a, b) => a - b);
  const [first, last] = [Math.min(...changes.values()), Math.max(...changes.values())];
  const percentile = (percent: number): number => took[Math.ceil((took.length * percent) / 100) - 1] ?? Number.NaN;
  return {
    name: 'waiters',
    waiters: count,
    partners: Math.ceil(count / payoutsOfPartner),
    changes_per_s: rounded((count * 1_000) / (last - first), 1),
    answered: took.filter(Number.isFinite).length,
    p50_ms: percentile(50),
    p99_ms: percentile(99),
    max_ms: percentile(100),
  };
}
