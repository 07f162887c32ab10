import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@kelpie/dev/eventually.ts';
import { findPort } from '@kelpie/dev/free-port.ts';
import { textAt } from '@kelpie/dev/json.ts';
import { prepareDatabase } from '@kelpie/dev/postgres/prepare.ts';
import { asAdmin, dropDatabase, urlFor } from '@kelpie/dev/postgres/roles.ts';
import { Agent } from 'undici';
import { inParallel } from '../src/platform/in-parallel.ts';
import { payoutBody } from '../test/harness/client.ts';
import { createSimulatedPartner } from '../test/harness/partners.ts';
import { startWorker } from '../test/harness/processes.ts';
import type { BenchServer } from './bench-server.ts';
import { startMeasuredApi } from './measured-api.ts';
import { rounded } from './report.ts';

interface WaitersLine {
  name: 'waiters';
  waiters: number;
  /** As the api counts them, with those of the warm-up. A few are just asking again. */
  waiting_at_start: number;
  partners: number;
  changes_per_s: number;
  /** With the status that the payout changed to. */
  answered: number;
  /** Of all requests, 503: they were asked again. */
  refused: number;
  /** From the instant in the payout's history, which is before its commit, to the whole answer. */
  p50_ms: number;
  p99_ms: number;
  max_ms: number;
  /** Of the changes before these, while processes and connections of the database are new. */
  warm_up_max_ms: number;
}

const payoutsOfPartner = 100;
const createdAtOnce = 32;
/** More than all payments on Faster Payments in a second. */
const changesPerSecond = 250;
/** Changes before those that are measured: three seconds of them. */
const mostWarmUps = 3 * changesPerSecond;
const waitSeconds = 20;
const workers = 2;
/** How often one asks at most. */
const mostTries = 10;

interface Waiter {
  key: string;
  payoutId: string;
}

interface Bench {
  database: { serviceUrl: string; superuserUrl: string };
  atEnd: (end: () => Promise<unknown>) => void;
  url: string;
  metricsUrl: string;
  agent: Agent;
  /** Answers that were 503. */
  refused: number;
}

async function startBench(server: BenchServer): Promise<Bench> {
  const name = `kelpie_bench_${process.pid}`;
  const urls = await prepareDatabase(server.adminUrl, { database: name, anew: true });
  server.atEnd(async () => dropDatabase(server.adminUrl, name));
  const database = { ...urls, superuserUrl: urlFor(server.adminUrl, name) };
  const atEnd = (end: () => Promise<unknown>): void => server.atEnd(end);
  const metricsPort = String(await findPort());
  const api = await startMeasuredApi(database.serviceUrl, { env: { KELPIE_METRICS_PORT: metricsPort } });
  atEnd(async () => api.stop());
  const agent = new Agent({ connectTimeout: 60_000, headersTimeout: 60_000, bodyTimeout: 60_000 });
  atEnd(async () => agent.destroy());
  const [url, metricsUrl] = [api.port, `${metricsPort}/metrics`].map((at) => `http://127.0.0.1:${at}`);
  assert(url !== undefined && metricsUrl !== undefined);
  return { database, atEnd, url, metricsUrl, agent, refused: 0 };
}

/** As a partner does: again after a 503, which a machine that is busy with other work answers. */
async function ask(bench: Bench, key: string, path: string, order?: object): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const asked =
    order === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', body: JSON.stringify(order) } as const);
  for (let tries = 1; ; tries += 1) {
    const { statusCode, body } = await bench.agent.request({ origin: bench.url, path, headers, ...asked });
    const text = await body.text();
    const answer: unknown = JSON.parse(text);
    if (statusCode === 200 || statusCode === 201) return answer;
    assert(statusCode === 503 && tries < mostTries, `${statusCode}: ${text}`);
    bench.refused += 1;
    await wait(1_000);
  }
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
    const status = textAt(await ask(bench, key, `/v1/payouts/${payoutId}?wait=${waitSeconds}`), 'status');
    const answeredAt = Date.now();
    if (status === 'completed') return answeredAt;
    assert.equal(status, 'processing');
  }
  throw new Error(`payout ${payoutId} has not changed`);
}

/**
 * Over the whole time that a request waits: those that end without a change are then asked again one after the other, and not
 * all at once.
 */
async function openAll(bench: Bench, waiters: readonly Waiter[]): Promise<Promise<number>[]> {
  const answers: Promise<number>[] = [];
  const startedAt = performance.now();
  for (const waiter of waiters) {
    const dueMs = (answers.length * waitSeconds * 1_000) / waiters.length;
    const earlyMs = startedAt + dueMs - performance.now();
    if (earlyMs > 0) await wait(earlyMs);
    const answer = waitForChange(bench, waiter);
    // One that fails is noticed when all are awaited.
    answer.catch(() => undefined);
    answers.push(answer);
  }
  return answers;
}

async function countWaiting({ metricsUrl }: Bench): Promise<number> {
  const figures = await (await fetch(metricsUrl)).text();
  return Number(/^kelpie_waiting_requests (\d+)$/m.exec(figures)?.[1]);
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

interface Change {
  atMs: number;
  tookMs: number;
}

/** In order of the changes. */
async function listChanges(bench: Bench, waiters: readonly Waiter[], answeredAt: readonly number[]): Promise<Change[]> {
  const changedAt = await readChanges(bench);
  const changes = waiters.map(({ payoutId }, at): Change => {
    const atMs = changedAt.get(payoutId) ?? Number.NaN;
    return { atMs, tookMs: (answeredAt[at] ?? Number.NaN) - atMs };
  });
  return changes.toSorted((one, other) => one.atMs - other.atMs);
}

/** Requests that wait on one api process, for payouts that two workers complete one after the other. */
export async function measureWaiters(
  server: BenchServer,
  { waiters: count, say }: { waiters: number; say: (text: string) => void },
): Promise<WaitersLine> {
  const warmUps = Math.min(mostWarmUps, count);
  const bench = await startBench(server);
  const waiters = await createAll(bench, warmUps + count);
  await makeDue(bench, waiters, '1 day', 0);
  for (let started = 0; started < workers; started += 1) await startWorker(bench);
  await untilNumbered(bench);
  say(`${waiters.length} payouts are there`);
  const opened = await openAll(bench, waiters);
  const waiting = await countWaiting(bench);
  say(`${waiting} requests wait`);
  await makeDue(bench, waiters, '1 second', 1_000 / changesPerSecond);
  const changes = await listChanges(bench, waiters, await Promise.all(opened));
  const [warmUp, measured] = [changes.slice(0, warmUps), changes.slice(warmUps)];
  const took = measured.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  const percentile = (percent: number): number => took[Math.ceil((took.length * percent) / 100) - 1] ?? Number.NaN;
  const seconds = ((measured.at(-1)?.atMs ?? Number.NaN) - (measured[0]?.atMs ?? Number.NaN)) / 1_000;
  return {
    name: 'waiters',
    waiters: count,
    waiting_at_start: waiting,
    partners: Math.ceil(waiters.length / payoutsOfPartner),
    changes_per_s: rounded(count / seconds, 1),
    answered: took.filter(Number.isFinite).length,
    refused: bench.refused,
    p50_ms: percentile(50),
    p99_ms: percentile(99),
    max_ms: percentile(100),
    warm_up_max_ms: Math.max(...warmUp.map(({ tookMs }) => tookMs)),
  };
}
