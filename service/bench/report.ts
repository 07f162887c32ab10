import { measureNames, type MeasureName } from './measures.ts';
import type { Slice } from './slice.ts';

/** Every measure once, one soon after the other. */
export type Round = Readonly<Record<MeasureName, Slice>>;

export interface ReportLine {
  name: MeasureName;
  ratio: number;
  tps: number;
  p50_ms: number;
  p99_ms: number;
  cpu_us_pg: number;
  cpu_us_node: number;
  /** Of create_32 alone: its p99 divided by that of bare_32. */
  p99_ratio?: number;
  /** Of create_128 alone: its throughput divided by that of bare_batch_32, and the processor time of that divided by its own. */
  batch_ratio?: number;
  batch_cpu_ratio?: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error('there is no median of nothing');
  return (lower + upper) / 2;
}

/** Nothing was to be read in a slice of a few ticks: then there is nothing to divide by. */
export function divide(one: number, other: number): number {
  return other === 0 ? 0 : one / other;
}

function ofThroughput(name: MeasureName, bare: MeasureName) {
  return (round: Round): number => divide(round[name].tps, round[bare].tps);
}

/** What bare PostgreSQL uses of the processor, to what it and the api use for the same. */
function ofProcessorTime(name: MeasureName, bare: MeasureName) {
  return (round: Round): number =>
    divide(round[bare].pgMicroseconds, round[name].pgMicroseconds + round[name].nodeMicroseconds);
}

const isItself = (): number => 1;

const ratios: Readonly<Record<MeasureName, (round: Round) => number>> = {
  bare_32: isItself,
  create_32: ofThroughput('create_32', 'bare_32'),
  create_128: ofThroughput('create_128', 'bare_32'),
  bare_batch_32: isItself,
  bare_hot_32: isItself,
  hot_32: ofThroughput('hot_32', 'bare_hot_32'),
  hot_128: ofThroughput('hot_128', 'bare_hot_32'),
  bare_get: isItself,
  get: ofProcessorTime('get', 'bare_get'),
  bare_list: isItself,
  list: ofProcessorTime('list', 'bare_list'),
};

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Medians. A ratio is taken within each round first: a machine that is slow for a while is slow for both sides. */
function lineOf(name: MeasureName, rounds: readonly Round[]): ReportLine {
  const middle = (figure: (slice: Slice) => number, digits: number): number =>
    rounded(median(rounds.map((round) => figure(round[name]))), digits);
  return {
    name,
    ratio: rounded(median(rounds.map(ratios[name])), 3),
    tps: middle(({ tps }) => tps, 0),
    p50_ms: middle(({ p50Ms }) => p50Ms, 2),
    p99_ms: middle(({ p99Ms }) => p99Ms, 2),
    cpu_us_pg: middle(({ pgMicroseconds }) => pgMicroseconds, 1),
    cpu_us_node: name.startsWith('bare') ? 0 : middle(({ nodeMicroseconds }) => nodeMicroseconds, 1),
  };
}

export function reportOn(rounds: readonly Round[]): ReportLine[] {
  const p99Ratio = rounded(median(rounds.map((round) => divide(round.create_32.p99Ms, round.bare_32.p99Ms))), 3);
  const ofBatch = (ratio: (round: Round) => number): number => rounded(median(rounds.map(ratio)), 3);
  const more: Readonly<Partial<Record<MeasureName, Partial<ReportLine>>>> = {
    create_32: { p99_ratio: p99Ratio },
    create_128: {
      batch_ratio: ofBatch(ofThroughput('create_128', 'bare_batch_32')),
      batch_cpu_ratio: ofBatch(ofProcessorTime('create_128', 'bare_batch_32')),
    },
  };
  return measureNames.map((name) => Object.assign(lineOf(name, rounds), more[name]));
}
