import { residentMb } from '../test/harness/resident-memory.ts';
import { assertAllMade, createBenchDatabase } from './bench-database.ts';
import type { BenchServer } from './bench-server.ts';
import { startHttpLoad } from './http-load.ts';
import { createApiMeasures, type ApiName } from './measures.ts';
import { readProcessorTime } from './processor-time.ts';
import { measureSlice } from './slice.ts';

export interface MemoryLine {
  name: 'memory';
  /** Answered in the slices so far. What was asked between two slices comes on top. */
  requests: number;
  resident_mb: number;
}

const partners = 200;
/** In each turn as long as another. */
const mix: readonly ApiName[] = ['create_32', 'get', 'list'];
const timing = { warmMs: 0, windowMs: 2_000 };
/** A line for each tenth. */
const lines = 10;

/** What one api process has of memory after each tenth of so many requests. */
export async function* measureMemory(
  server: BenchServer,
  { requests, say }: { requests: number; say: (text: string) => void },
): AsyncGenerator<MemoryLine> {
  const bench = await createBenchDatabase(server, `kelpie_bench_${process.pid}`, partners);
  const http = startHttpLoad();
  server.atEnd(async () => http.end());
  const measures = createApiMeasures(bench, http);
  let answered = 0;
  for (let line = 1; line <= lines; line += 1) {
    while (answered < (requests * line) / lines) {
      for (const name of mix) {
        const slice = await measureSlice(measures[name], timing, () =>
          readProcessorTime(server.postmaster, bench.api.pid),
        );
        answered += Math.round((slice.tps * timing.windowMs) / 1_000);
      }
      say(`${answered} requests`);
    }
    yield { name: 'memory', requests: answered, resident_mb: Math.round(residentMb(bench.api.pid)) };
  }
  await assertAllMade([bench], http);
}
