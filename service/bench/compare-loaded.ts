import { assertAllMade, createBenchDatabase, type BenchDatabase } from './bench-database.ts';
import type { BenchServer } from './bench-server.ts';
import { explainGet, type GetPlan } from './explain-get.ts';
import { startHttpLoad } from './http-load.ts';
import { loadPayouts } from './load-payouts.ts';
import { createApiMeasures } from './measures.ts';
import { readProcessorTime } from './processor-time.ts';
import { createProgress } from './progress.ts';
import { divide, median, rounded } from './report.ts';
import { measureSlice, type Slice, type Timing } from './slice.ts';

interface LoadedComparison {
  payouts: number;
  partners: number;
  rounds: number;
  warmUpMs: number;
  timing: Timing;
  /** For the person who waits. */
  say: (text: string) => void;
}

/** What PostgreSQL spends on one payout where there are many already, beside what it spends where there are few. */
interface LoadedLine {
  name: 'loaded_create_32';
  payouts: number;
  ratio: number;
  cpu_us_pg_empty: number;
  cpu_us_pg_loaded: number;
}

type Variant = 'empty' | 'loaded';
type Pair = Record<Variant, Slice>;

async function createPartnerEnvironments(
  server: BenchServer,
  { payouts, partners, say }: LoadedComparison,
): Promise<Record<Variant, BenchDatabase>> {
  const fill = { payouts, partners, onProgress: createProgress(payouts, say) };
  const name = `kelpie_bench_${process.pid}`;
  return {
    loaded: await createBenchDatabase(server, `${name}_loaded`, partners, async (database) =>
      loadPayouts(database, fill),
    ),
    empty: await createBenchDatabase(server, `${name}_empty`, partners),
  };
}

function lineOf(payouts: number, pairs: readonly Pair[]): LoadedLine {
  const middle = (figure: (pair: Pair) => number, digits: number): number => rounded(median(pairs.map(figure)), digits);
  return {
    name: 'loaded_create_32',
    payouts,
    ratio: middle(({ empty, loaded }) => divide(loaded.pgMicroseconds, empty.pgMicroseconds), 3),
    cpu_us_pg_empty: middle(({ empty }) => empty.pgMicroseconds, 1),
    cpu_us_pg_loaded: middle(({ loaded }) => loaded.pgMicroseconds, 1),
  };
}

/** Two databases of one server, in turn: a slow minute of the machine is slow for both. */
export async function compareLoaded(
  server: BenchServer,
  comparison: LoadedComparison,
): Promise<{ line: LoadedLine; plan: GetPlan }> {
  const { payouts, rounds, warmUpMs, timing, say } = comparison;
  const variants = await createPartnerEnvironments(server, comparison);
  const http = startHttpLoad();
  server.atEnd(async () => http.end());
  const measures = { empty: createApiMeasures(variants.empty, http), loaded: createApiMeasures(variants.loaded, http) };
  const measure = async (variant: Variant, howLong = timing): Promise<Slice> => {
    const readTime = () => readProcessorTime(server.postmaster, variants[variant].api.pid);
    const slice = await measureSlice(measures[variant].create_32, howLong, readTime);
    say(`create_32 ${variant}: ${slice.tps.toFixed(0)}/s, ${slice.pgMicroseconds.toFixed(0)} µs of PostgreSQL each`);
    return slice;
  };
  for (const variant of ['empty', 'loaded'] as const) await measure(variant, { ...timing, warmMs: warmUpMs });
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1)
    pairs.push({ empty: await measure('empty'), loaded: await measure('loaded') });
  await assertAllMade([variants.empty, variants.loaded], http);
  return {
    line: lineOf(payouts, pairs),
    plan: await explainGet(variants.loaded.database),
  };
}
