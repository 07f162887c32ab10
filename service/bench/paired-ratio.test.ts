import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateRatio, type Pair } from './paired-ratio.ts';

function pairsOf(ratios: readonly number[]): Pair[] {
  return ratios.map((ratio, at) => ({ base: 100 + at, head: (100 + at) * ratio }));
}

function near(actual: number, expected: number, within = 1e-9): void {
  assert(Math.abs(actual - expected) <= within, `${actual} is not ${expected}`);
}

/** Twenty ratios around 1.02, from 0.97 to 1.07. */
const twenty = pairsOf(Array.from({ length: 20 }, (_, at) => 0.97 + ((at * 7) % 20) * (0.1 / 19)));

test('the estimate and its interval are the known order statistics of the Walsh averages', () => {
  // The logs are 1 to 6, so their 21 averages are 1, 1.5, 2, 2, 2.5, 2.5, 3, … 6. The low end has rank 1: 10.5 − 1.96 × 4.77.
  const pairs = pairsOf([3, 1, 6, 2, 5, 4].map(Math.exp));
  const { ratio, low, high } = estimateRatio(pairs);
  near(Math.log(ratio), 3.5);
  near(Math.log(low), 1);
  near(Math.log(high), 6);
});

test('twenty pairs end at rank 52 of 210 from either end', () => {
  const logs = Array.from({ length: 20 }, (_, at) => 2 ** at);
  const averages = logs.flatMap((one, at) => logs.slice(at).map((other) => (one + other) / 2));
  const sorted = averages.toSorted((a, b) => a - b);
  const scale = 1e-6;
  const { low, high } = estimateRatio(logs.map((log) => ({ base: 1, head: Math.exp(log * scale) })));
  near(Math.log(low), (sorted[51] ?? 0) * scale);
  near(Math.log(high), (sorted[158] ?? 0) * scale);
});

test('equal sides give 1 with an interval of no width', () => {
  assert.deepEqual(estimateRatio(pairsOf(Array<number>(20).fill(1))), { ratio: 1, low: 1, high: 1 });
});

test('swapping the sides inverts the estimate and its interval', () => {
  const there = estimateRatio(twenty);
  const back = estimateRatio(twenty.map(({ base, head }) => ({ base: head, head: base })));
  near(back.ratio, 1 / there.ratio);
  near(back.low, 1 / there.high);
  near(back.high, 1 / there.low);
});

test('the order of the rounds does not matter', () => {
  assert.deepEqual(estimateRatio(twenty.toReversed()), estimateRatio(twenty));
});

test('a round that was disturbed does not move the estimate much', () => {
  const undisturbed = estimateRatio(twenty);
  const { ratio, low, high } = estimateRatio([{ base: 100, head: 5_000 }, ...twenty.slice(1)]);
  near(ratio, undisturbed.ratio, 0.01);
  near(low, undisturbed.low, 0.01);
  near(high, undisturbed.high, 0.02);
});

test('the interval holds the estimate, and narrows with more rounds', () => {
  const { ratio, low, high } = estimateRatio(twenty);
  assert(low < ratio && ratio < high);
  const more = estimateRatio([...twenty, ...twenty, ...twenty, ...twenty]);
  assert(more.high - more.low < high - low);
});

test('a single pair is its own interval', () => {
  assert.deepEqual(estimateRatio([{ base: 2, head: 3 }]), { ratio: 1.5, low: 1.5, high: 1.5 });
});

test('a figure of zero, or no pair at all, is refused', () => {
  assert.throws(() => estimateRatio([]), /pairs of figures above zero/);
  assert.throws(() => estimateRatio([{ base: 0, head: 1 }]), /pairs of figures above zero/);
  assert.throws(() => estimateRatio([{ base: 1, head: 0 }]), /pairs of figures above zero/);
});
