/** How many times as large one figure is as another, with the 95% interval of that. */
export interface RatioEstimate {
  ratio: number;
  low: number;
  high: number;
}

/** One round: the same figure of both sides, measured one right after the other. */
export interface Pair {
  base: number;
  head: number;
}

/** Of the standard normal distribution, for 95%. */
const twoSided95 = 1.959964;

/** The mean of every two of the values, each with itself too, in ascending order. */
function sortedWalshAverages(values: readonly number[]): Float64Array {
  const averages = values.flatMap((one, at) => values.slice(at).map((other) => (one + other) / 2));
  return Float64Array.from(averages).toSorted();
}

function valueOfRank(sorted: Float64Array, rank: number): number {
  const value = sorted[rank - 1];
  if (value === undefined) throw new Error(`there is no value of rank ${rank}`);
  return value;
}

/** How far from each end of the averages the interval ends, by the normal approximation of the signed-rank statistic. */
function rankOfLowEnd(pairs: number): number {
  const mean = (pairs * (pairs + 1)) / 4;
  const deviation = Math.sqrt((pairs * (pairs + 1) * (2 * pairs + 1)) / 24);
  return Math.max(1, Math.floor(mean - twoSided95 * deviation));
}

/**
 * The Hodges–Lehmann estimate of head ÷ base, and the interval that belongs to it by Wilcoxon's signed-rank test. Both are
 * computed from the logarithms of the ratios, so swapping the sides inverts them, and a few disturbed rounds hardly count.
 * Fewer than six pairs can't give 95%: the interval is then the range of what was measured, and a single pair is all three.
 */
export function estimateRatio(pairs: readonly Pair[]): RatioEstimate {
  const logs = pairs.map(({ base, head }) => Math.log(head / base));
  if (logs.length === 0 || !logs.every(Number.isFinite)) throw new Error('a ratio needs pairs of figures above zero');
  const averages = sortedWalshAverages(logs);
  const size = averages.length;
  const low = rankOfLowEnd(logs.length);
  const middle = (valueOfRank(averages, Math.ceil(size / 2)) + valueOfRank(averages, Math.floor(size / 2) + 1)) / 2;
  return {
    ratio: Math.exp(middle),
    low: Math.exp(valueOfRank(averages, low)),
    high: Math.exp(valueOfRank(averages, size + 1 - low)),
  };
}
