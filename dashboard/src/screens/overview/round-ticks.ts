const mostTicks = 4;
const steps = [1, 2, 2.5, 5, 10];

/** The values beside a chart's scale: multiples of a round step, from 0 to the first one that reaches the largest value. */
export function roundTicks(largest: number): number[] {
  if (largest <= 0) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(largest / mostTicks));
  const step = power * (steps.find((each) => each * power * mostTicks >= largest) ?? 10);
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, at) => at * step);
}
