import { createBenchDatabase, type BenchDatabase } from './bench-database.ts';
import type { BenchServer } from './bench-server.ts';
import { startHttpLoad, type HttpLoad } from './http-load.ts';
import { startMeasuredApi, type MeasuredApi } from './measured-api.ts';
import { readProcessorTime } from './processor-time.ts';
import { divide, median, rounded } from './report.ts';
import { getRequests, listRequests } from './requests.ts';
import { measureSlice, type Slice, type Timing } from './slice.ts';

// What writing down each request, and keeping to limits, cost a read: the same api with and without them, in turn.

interface ReadOptions {
  partners: number;
  rounds: number;
  warmUpMs: number;
  timing: Timing;
  /** For the person who waits. */
  say: (text: string) => void;
}

const reads = ['get', 'list'] as const;
const variants = ['whole', 'activity', 'limits', 'activity+limits'] as const;
type Read = (typeof reads)[number];
type Variant = (typeof variants)[number];
/** Each read once by each variant, named by what that one is without. */
type Round = Readonly<Record<Read, Record<Variant, Slice>>>;

export interface ReadCosts {
  name: string;
  /** By how much the processor works more for a read, in parts of what it works without. */
  activity_cost: number;
  limits_cost: number;
  cpu_us: number;
  cpu_us_without_both: number;
  tps: number;
  tps_without_both: number;
}

/**
 * The lots that a limit is leased in are those of the usual burst, so that a lease is as frequent as it is for partners;
 * but the bucket fills at once, so that nobody is turned away.
 */
const usualLots = { KELPIE_REQUESTS_PER_SECOND: '1000000', KELPIE_REQUESTS_BURST: '200' };

async function startVariant(server: BenchServer, { database }: BenchDatabase, variant: Variant): Promise<MeasuredApi> {
  const without = variant === 'whole' ? [] : [variant];
  const program = { file: 'service/bench/api-without.ts', args: without };
  const api = await startMeasuredApi(database.serviceUrl, { ...program, env: usualLots });
  server.atEnd(async () => api.stop());
  return api;
}

function processorTime({ pgMicroseconds, nodeMicroseconds }: Slice): number {
  return pgMicroseconds + nodeMicroseconds;
}

function costsOf(read: Read, rounds: readonly Round[]): ReadCosts {
  const middle = (figure: (round: Round) => number, digits: number): number =>
    rounded(median(rounds.map(figure)), digits);
  const cost = (without: Variant) => (round: Round) =>
    divide(processorTime(round[read].whole), processorTime(round[read][without])) - 1;
  return {
    name: `${read}_costs`,
    activity_cost: middle(cost('activity'), 3),
    limits_cost: middle(cost('limits'), 3),
    cpu_us: middle((round) => processorTime(round[read].whole), 1),
    cpu_us_without_both: middle((round) => processorTime(round[read]['activity+limits']), 1),
    tps: middle((round) => round[read].whole.tps, 0),
    tps_without_both: middle((round) => round[read]['activity+limits'].tps, 0),
  };
}

export async function compareReads(server: BenchServer, options: ReadOptions): Promise<ReadCosts[]> {
  const { partners, rounds, timing, warmUpMs, say } = options;
  const bench = await createBenchDatabase(server, `kelpie_bench_${process.pid}`, partners);
  const apis = new Map<Variant, MeasuredApi>();
  for (const variant of variants) apis.set(variant, await startVariant(server, bench, variant));
  const http = startHttpLoad();
  server.atEnd(async () => http.end());
  const requests = { get: getRequests(bench.planted), list: listRequests(bench.planted) };
  const measure = async (read: Read, variant: Variant, howLong: Timing): Promise<Slice> => {
    const slice = await measureOne(server, http, apis.get(variant), { requests: requests[read], howLong });
    say(
      `${read.padEnd(5)} without ${variant.replace('whole', 'nothing').padEnd(15)} ${processorTime(slice).toFixed(1)} µs`,
    );
    return slice;
  };
  for (const variant of variants) {
    for (const read of reads) await measure(read, variant, { ...timing, warmMs: warmUpMs / 4 });
  }
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) measured.push(await measureRound(round, measure, timing));
  return reads.map((read) => costsOf(read, measured));
}

async function measureOne(
  server: BenchServer,
  http: HttpLoad,
  api: MeasuredApi | undefined,
  { requests, howLong }: { requests: readonly string[]; howLong: Timing },
): Promise<Slice> {
  if (api === undefined) throw new Error('an api that was not started');
  const start = () => http.start({ port: api.port, connections: 32, requests, status: 200 });
  return measureSlice(start, howLong, () => readProcessorTime(server.postmaster, api.pid));
}

/** Another one comes first in each round: what follows a busy slice is not always the same. */
async function measureRound(
  round: number,
  measure: (read: Read, variant: Variant, howLong: Timing) => Promise<Slice>,
  timing: Timing,
): Promise<Round> {
  const inTurn = [...variants.slice(round % variants.length), ...variants.slice(0, round % variants.length)];
  const taken = { get: new Map<Variant, Slice>(), list: new Map<Variant, Slice>() };
  for (const read of reads) {
    for (const variant of inTurn) taken[read].set(variant, await measure(read, variant, timing));
  }
  const all = (read: Read): Record<Variant, Slice> => ({
    whole: present(taken[read].get('whole')),
    activity: present(taken[read].get('activity')),
    limits: present(taken[read].get('limits')),
    'activity+limits': present(taken[read].get('activity+limits')),
  });
  return { get: all('get'), list: all('list') };
}

function present(slice: Slice | undefined): Slice {
  if (slice === undefined) throw new Error('a round without one of its measures');
  return slice;
}
