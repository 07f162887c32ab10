import { estimateRatio, type RatioEstimate } from './paired-ratio.ts';
import { median, rounded } from './report.ts';
import type { Slice } from './slice.ts';

/** Payouts of many partners, or of one whose wallet is a hot one, on so many connections. */
export const againstNames = ['create_1', 'create_32', 'create_128', 'hot_1', 'hot_32', 'hot_128'] as const;
export type AgainstName = (typeof againstNames)[number];

/** One measure of one round, on both sides. */
export interface SlicePair {
  base: Slice;
  head: Slice;
}

/** The medians of both sides, and the ratio head ÷ base over the rounds with its 95% interval. */
interface AgainstFigure extends RatioEstimate {
  base: number;
  head: number;
  /** How many rounds it is computed from. */
  pairs: number;
}

export interface AgainstLine {
  name: AgainstName;
  rounds: number;
  /** Of PostgreSQL and the api together, per payout. */
  cpu_us: AgainstFigure;
  cpu_us_pg: AgainstFigure;
  cpu_us_node: AgainstFigure;
  tps: AgainstFigure;
  p50_ms: AgainstFigure;
}

function figureOf(pairs: readonly SlicePair[], read: (slice: Slice) => number, digits: number): AgainstFigure {
  // Linux counts no tick of a slice in which next to nothing was done. One such slice must not cost the whole run.
  const figures = pairs
    .map(({ base, head }) => ({ base: read(base), head: read(head) }))
    .filter(({ base, head }) => base > 0 && head > 0);
  const { ratio, low, high } = estimateRatio(figures);
  return {
    base: rounded(median(figures.map(({ base }) => base)), digits),
    head: rounded(median(figures.map(({ head }) => head)), digits),
    ratio: rounded(ratio, 4),
    low: rounded(low, 4),
    high: rounded(high, 4),
    pairs: figures.length,
  };
}

export function lineOf(name: AgainstName, pairs: readonly SlicePair[]): AgainstLine {
  return {
    name,
    rounds: pairs.length,
    cpu_us: figureOf(pairs, ({ pgMicroseconds, nodeMicroseconds }) => pgMicroseconds + nodeMicroseconds, 1),
    cpu_us_pg: figureOf(pairs, ({ pgMicroseconds }) => pgMicroseconds, 1),
    cpu_us_node: figureOf(pairs, ({ nodeMicroseconds }) => nodeMicroseconds, 1),
    tps: figureOf(pairs, ({ tps }) => tps, 1),
    p50_ms: figureOf(pairs, ({ p50Ms }) => p50Ms, 3),
  };
}

function describe({ ratio, low, high }: RatioEstimate): string {
  return `${ratio.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}

/** A table for a person. */
export function summarise(lines: readonly AgainstLine[]): string[] {
  const titles = ['head ÷ base', 'CPU per payout', 'in PostgreSQL', 'in Node', 'payouts/s', 'p50'];
  const rows = lines.map(({ name, cpu_us, cpu_us_pg, cpu_us_node, tps, p50_ms }) => [
    name,
    ...[cpu_us, cpu_us_pg, cpu_us_node, tps, p50_ms].map(describe),
  ]);
  return [titles, ...rows].map((row) =>
    row
      .map((cell, at) => cell.padEnd(at === 0 ? 12 : 21))
      .join(' ')
      .trimEnd(),
  );
}

/** Every upper end of CPU per payout and p50 that is above the limit, by its name. */
export function findAbove(lines: readonly AgainstLine[], limit: number): string[] {
  return lines.flatMap((line) =>
    (['cpu_us', 'p50_ms'] as const)
      .filter((figure) => line[figure].high > limit)
      .map((figure) => `${line.name} ${figure} ${line[figure].high.toFixed(3)}`),
  );
}
