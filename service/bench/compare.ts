import { createBareDatabase } from './bare/bare-database.ts';
import { assertAllMade, createBenchDatabase } from './bench-database.ts';
import type { BenchServer } from './bench-server.ts';
import { startHttpLoad } from './http-load.ts';
import { createApiMeasures, createBareMeasures, measureNames, type MeasureName } from './measures.ts';
import { readProcessorTime } from './processor-time.ts';
import { reportOn, type ReportLine, type Round } from './report.ts';
import { measureSlice, type Slice, type Timing } from './slice.ts';

interface Comparison {
  partners: number;
  rounds: number;
  /** For how long the api first runs, until its code is compiled: some thousand requests. */
  warmUpMs: number;
  timing: Timing;
  /** For the person who waits. */
  say: (text: string) => void;
}

/** Another one comes first in each round: what follows a busy slice is not always the same. */
function inTurn(round: number): MeasureName[] {
  const first = (round * 4) % measureNames.length;
  return [...measureNames.slice(first), ...measureNames.slice(0, first)];
}

/** The api against bare PostgreSQL, slice by slice. */
export async function compare(
  server: BenchServer,
  { partners, rounds, warmUpMs, timing, say }: Comparison,
): Promise<ReportLine[]> {
  const bare = await createBareDatabase(server, `kelpie_bare_${process.pid}`, partners);
  const bench = await createBenchDatabase(server, `kelpie_bench_${process.pid}`, partners);
  const http = startHttpLoad();
  server.atEnd(async () => http.end());
  const measures = { ...createBareMeasures(bare), ...createApiMeasures(bench, http) };
  const measure = async (name: MeasureName, howLong = timing): Promise<Slice> => {
    const slice = await measureSlice(measures[name], howLong, () =>
      readProcessorTime(server.postmaster, bench.api.pid),
    );
    say(`${name.padEnd(12)} ${slice.tps.toFixed(0).padStart(6)}/s  p99 ${slice.p99Ms.toFixed(1).padStart(6)} ms`);
    return slice;
  };
  if (warmUpMs > 0) {
    say('Warming up.');
    await measure('create_128', { ...timing, warmMs: warmUpMs });
    for (const name of ['get', 'list'] as const) await measure(name);
  }
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`Round ${round + 1} of ${rounds}.`);
    const slices: Partial<Record<MeasureName, Slice>> = {};
    for (const name of inTurn(round)) slices[name] = await measure(name);
    measured.push(wholeRound(slices));
  }
  await assertAllMade([bench], http);
  await bare.assertAllMade();
  return reportOn(measured);
}

function isWhole(slices: Partial<Record<MeasureName, Slice>>): slices is Record<MeasureName, Slice> {
  return measureNames.every((name) => slices[name] !== undefined);
}

function wholeRound(slices: Partial<Record<MeasureName, Slice>>): Round {
  if (!isWhole(slices)) throw new Error('a round without one of its measures');
  return slices;
}
