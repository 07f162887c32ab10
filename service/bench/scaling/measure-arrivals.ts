import { setTimeout as wait } from 'node:timers/promises';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { createBenchDatabase, type BenchDatabase } from '../bench-database.ts';
import { settleDatabase, type BenchServer } from '../bench-server.ts';
import { readProcessorTime } from '../processor-time.ts';
import { rounded } from '../report.ts';
import { createRequests } from '../requests.ts';
import { chanceFrom, createPick } from './chance.ts';
import { startArrivals } from './open-load.ts';
import { hotShare, measuredPartners, sharesWithOne } from './shares.ts';

interface ArrivalsOptions {
  rates: readonly number[];
  warmMs: number;
  windowMs: number;
  /** For the person who waits. */
  say: (text: string) => void;
}

/** Payouts that arrive at random, so many a second: what of it one api on this machine keeps up with. */
export interface ArrivalsLine {
  name: 'arrivals';
  offered_per_s: number;
  answered_per_s: number;
  p50_ms: number;
  p99_ms: number;
  /** Of the processor, for each answer. */
  cpu_us_pg: number;
  cpu_us_api: number;
  cpu_us_client: number;
  commits_per_payout: number;
  /** Answered 503: too many wait already. */
  refused: number;
}

async function countCommits(superuserUrl: string): Promise<number> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ commits: string }>(
      'select xact_commit as commits from pg_stat_database where datname = current_database()',
    );
    return Number(rows[0]?.commits);
  });
}

/** One cell on this machine: one api process, one PostgreSQL, one partner with 30% of the traffic. */
export async function* measureArrivals(server: BenchServer, options: ArrivalsOptions): AsyncGenerator<ArrivalsLine> {
  const bench = await createBenchDatabase(server, `kelpie_bench_arrivals_${process.pid}`, measuredPartners);
  await measureRate(server, bench, 1_000, { ...options, windowMs: options.warmMs });
  for (const rate of options.rates) {
    const line = await measureRate(server, bench, rate, options);
    options.say(`${rate}/s offered: ${line.answered_per_s}/s, p50 ${line.p50_ms} ms, p99 ${line.p99_ms} ms`);
    yield line;
  }
}

async function measureRate(
  server: BenchServer,
  { api, partners, database }: BenchDatabase,
  rate: number,
  { warmMs, windowMs }: ArrivalsOptions,
): Promise<ArrivalsLine> {
  await settleDatabase(database.superuserUrl);
  const chance = chanceFrom(rate);
  const arrivals = await startArrivals({
    port: api.port,
    requests: createRequests(partners),
    perSecond: rate,
    chance,
    pick: createPick(sharesWithOne(hotShare, measuredPartners), chance),
  });
  const read = async () => ({
    atMs: Date.now(),
    commits: await countCommits(database.superuserUrl),
    client: process.cpuUsage(),
    ...readProcessorTime(server.postmaster, api.pid),
  });
  await wait(warmMs);
  const before = await read();
  await wait(windowMs);
  const after = await read();
  await arrivals.end();
  const { inWindow, p50Ms, p99Ms } = arrivals.count({ fromMs: before.atMs, toMs: after.atMs });
  const clientMicroseconds = after.client.user + after.client.system - (before.client.user + before.client.system);
  return {
    name: 'arrivals',
    offered_per_s: rate,
    answered_per_s: rounded((inWindow * 1_000) / (after.atMs - before.atMs), 0),
    p50_ms: rounded(p50Ms, 2),
    p99_ms: rounded(p99Ms, 2),
    cpu_us_pg: rounded((after.pgMicroseconds - before.pgMicroseconds) / inWindow, 1),
    cpu_us_api: rounded((after.nodeMicroseconds - before.nodeMicroseconds) / inWindow, 1),
    cpu_us_client: rounded(clientMicroseconds / inWindow, 1),
    commits_per_payout: rounded((after.commits - before.commits) / inWindow, 3),
    refused: [...arrivals.refused.values()].reduce((sum, count) => sum + count, 0),
  };
}
