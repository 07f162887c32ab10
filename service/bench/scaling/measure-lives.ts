import type { ClusterName } from '@kelpie/dev/postgres/cluster.ts';
import { asAdmin } from '@kelpie/dev/postgres/roles.ts';
import { startBenchServer } from '../bench-server.ts';
import { rounded } from '../report.ts';
import { measureWholeLife, type Lives } from '../whole-life.ts';

interface LivesOptions {
  cluster: ClusterName;
  seconds: number;
  connections: number;
  withFunctions: boolean;
  say: (text: string) => void;
}

/** Whole lives with one webhook endpoint, and what they leave behind. Each figure is for a payout, if it does not say otherwise. */
export interface LivesLine {
  name: 'lives';
  connections: number;
  completed_per_s: number;
  cpu_us_api: number;
  cpu_us_worker: number;
  cpu_us_pg: number;
  wal_bytes: number;
  commits: number;
  /** How often the disk was asked to keep what is in the write-ahead log. */
  flushes: number;
  bank_calls_api: number;
  bank_calls_worker: number;
  webhooks: number;
  /** Of both processes, under load. */
  database_connections: number;
  /** How much each table grew, indexes included, those that grew by at least a byte. */
  bytes: Readonly<Record<string, number>>;
  /** Microseconds by the clock of numbering its events, which one worker does at a time. Where functions are timed. */
  numbering_us?: number;
}

/** A cell has one call of it at a time, however many workers there are. */
const oneAtATime = 'kelpie.number_events';

const sizesSql = `
  select coalesce(parent.relname, c.relname) as name, sum(pg_total_relation_size(c.oid)) as bytes
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('kelpie', 'pgboss')
  left join pg_inherits i on i.inhrelid = c.oid
  left join pg_class parent on parent.oid = i.inhparent
  where c.relkind = 'r' group by 1`;

async function readSizes(superuserUrl: string): Promise<Map<string, number>> {
  return asAdmin(superuserUrl, async (client) => {
    await client.query('vacuum');
    const { rows } = await client.query<{ name: string; bytes: string }>(sizesSql);
    return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
  });
}

async function readNumber(superuserUrl: string, sql: string): Promise<number> {
  return asAdmin(superuserUrl, async (client) => {
    const { rows } = await client.query<{ number: string }>(sql);
    return Number(rows[0]?.number);
  });
}

const flushesSql = 'select wal_sync as number from pg_stat_wal';
const payoutsSql = 'select count(*) as number from kelpie.payouts';
const connectionsSql = `
  select count(*) as number from pg_stat_activity
  where datname = current_database() and usename = 'kelpie_service'`;

/** What a process has called its bank for. */
async function countBankCalls(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const counts = text.matchAll(/^kelpie_bank_request_duration_seconds_count\{[^}]*\} (\d+)/gm);
  return Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
}

function metricsUrlOf(output: string): string {
  const port = /"metrics_port":(\d+)/.exec(output)?.[1];
  if (port === undefined) throw new Error('the worker does not say where its metrics are');
  return `http://127.0.0.1:${port}/metrics`;
}

interface Seen {
  sizes: Map<string, number>;
  flushes: number;
  calls: { api: number; worker: number };
}

async function see({ world, database }: Lives): Promise<Seen> {
  return {
    sizes: await readSizes(database.superuserUrl),
    flushes: await readNumber(database.superuserUrl, flushesSql),
    calls: {
      api: await countBankCalls(world.api.metricsUrl),
      worker: await countBankCalls(metricsUrlOf(world.worker?.output() ?? '')),
    },
  };
}

function growthOf(before: Seen, after: Seen, payouts: number): Record<string, number> {
  const grown = [...after.sizes].map(([table, bytes]): [string, number] => [
    table,
    Math.round((bytes - (before.sizes.get(table) ?? 0)) / payouts),
  ]);
  return Object.fromEntries(grown.filter(([, bytes]) => bytes > 0).toSorted(([, one], [, other]) => other - one));
}

/** On a server of its own: what the processes of one run do until they end is not measured with the next. */
export async function measureLives({
  cluster,
  seconds,
  connections,
  withFunctions,
  say,
}: LivesOptions): Promise<LivesLine> {
  const server = await startBenchServer(cluster);
  const seen: Seen[] = [];
  let payouts = 0;
  let used = 0;
  const observe = async (lives: Lives, moment: 'ready' | 'loaded' | 'over'): Promise<void> => {
    const { superuserUrl } = lives.database;
    if (moment === 'loaded') used = await readNumber(superuserUrl, connectionsSql);
    else seen.push(await see(lives));
    payouts = await readNumber(superuserUrl, payoutsSql);
  };
  try {
    const life = await measureWholeLife(server, {
      seconds,
      connections,
      withEndpoint: true,
      withFunctions,
      observe,
      say,
    });
    const [before, after] = seen;
    if (before === undefined || after === undefined || life.violations > 0) throw new Error('the run is not whole');
    const numbering = life.functions?.find((timed) => timed.name === oneAtATime);
    const each = (value: number): number => rounded(value / payouts, 2);
    return {
      name: 'lives',
      connections,
      completed_per_s: life.closed_per_s,
      cpu_us_api: life.cpu_us_api,
      cpu_us_worker: life.cpu_us_worker,
      cpu_us_pg: life.cpu_us_postgres,
      wal_bytes: life.wal_bytes,
      commits: life.commits,
      flushes: each(after.flushes - before.flushes),
      bank_calls_api: each(after.calls.api - before.calls.api),
      bank_calls_worker: each(after.calls.worker - before.calls.worker),
      webhooks: rounded(life.webhooks / life.payouts, 2),
      database_connections: used,
      bytes: growthOf(before, after, payouts),
      ...(numbering === undefined ? {} : { numbering_us: numbering.self_us }),
    };
  } finally {
    await server.end();
  }
}
