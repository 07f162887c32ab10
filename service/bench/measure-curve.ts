import { createBareDatabase } from './bare/bare-database.ts';
import { createScript } from './bare/calls.ts';
import { assertAllMade, createBenchDatabase } from './bench-database.ts';
import type { BenchServer } from './bench-server.ts';
import { startHttpLoad } from './http-load.ts';
import { readProcessorTime } from './processor-time.ts';
import { createRequests } from './requests.ts';
import { measureSlice, type Running, type Slice, type Timing } from './slice.ts';
import { median, rounded } from './report.ts';

interface CurveOptions {
  partners: number;
  rounds: number;
  warmUpMs: number;
  timing: Timing;
  /** For the person who waits. */
  say: (text: string) => void;
}

interface Speed {
  tps: number;
  p99_ms: number;
}

/** Payouts with so many connections at once: through the api, and by PostgreSQL alone. */
export interface CurvePoint {
  connections: number;
  api: Speed;
  bare: Speed;
}

const connectionCounts = [1, 2, 4, 8, 16, 32, 64, 128, 256];

function middle(slices: readonly Slice[]): Speed {
  return {
    tps: rounded(median(slices.map(({ tps }) => tps)), 0),
    p99_ms: rounded(median(slices.map(({ p99Ms }) => p99Ms)), 2),
  };
}

export async function measureCurve(
  server: BenchServer,
  { partners, rounds, warmUpMs, timing, say }: CurveOptions,
): Promise<CurvePoint[]> {
  const reference = await createBareDatabase(server, `kelpie_bare_${process.pid}`, partners);
  const bench = await createBenchDatabase(server, `kelpie_bench_${process.pid}`, partners);
  const http = startHttpLoad();
  server.atEnd(async () => http.end());
  const requests = createRequests(bench.partners);
  const script = createScript(reference.partners, 'many');
  const readTime = () => readProcessorTime(server.postmaster, bench.api.pid);
  const measure = async (start: () => Running, howLong = timing): Promise<Slice> =>
    measureSlice(start, howLong, readTime);
  const startApi = (connections: number) => (): Running =>
    http.start({ port: bench.api.port, connections, requests, status: 201 });
  await measure(startApi(128), { ...timing, warmMs: warmUpMs });
  const points: CurvePoint[] = [];
  for (const connections of connectionCounts) {
    const bare = reference.pgbench.load(script, connections);
    const slices: { api: Slice[]; bare: Slice[] } = { api: [], bare: [] };
    for (let round = 0; round < rounds; round += 1) {
      slices.bare.push(await measure(() => bare.start()));
      slices.api.push(await measure(startApi(connections)));
    }
    await bare.end();
    const point = { connections, api: middle(slices.api), bare: middle(slices.bare) };
    say(`${connections} connections: api ${point.api.tps}/s, bare ${point.bare.tps}/s`);
    points.push(point);
  }
  await assertAllMade([bench], http);
  await reference.assertAllMade();
  return points;
}
