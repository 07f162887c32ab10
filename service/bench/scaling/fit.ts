/** A straight line through points, with the least sum of squares. */
interface Fit {
  /** At zero. */
  constant: number;
  perUnit: number;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function fitLine(points: readonly { at: number; value: number }[]): Fit {
  const [meanAt, meanValue] = [mean(points.map(({ at }) => at)), mean(points.map(({ value }) => value))];
  const covariance = mean(points.map(({ at, value }) => (at - meanAt) * (value - meanValue)));
  const variance = mean(points.map(({ at }) => (at - meanAt) ** 2));
  const perUnit = covariance / variance;
  return { constant: meanValue - perUnit * meanAt, perUnit };
}
