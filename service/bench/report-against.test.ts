import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAbove, lineOf, summarise, type SlicePair } from './report-against.ts';
import type { Slice } from './slice.ts';

const slice: Slice = { tps: 1_000, p50Ms: 10, p99Ms: 30, pgMicroseconds: 300, nodeMicroseconds: 200 };

/** Twenty rounds in which the head takes so many times as long. */
function slower(times: number): SlicePair[] {
  return Array.from({ length: 20 }, () => ({ base: slice, head: { ...slice, p50Ms: slice.p50Ms * times } }));
}

test('a line has the medians of both sides and the ratio of head to base', () => {
  const line = lineOf('create_32', slower(1.2));
  assert.deepEqual(line.p50_ms, { base: 10, head: 12, ratio: 1.2, low: 1.2, high: 1.2, pairs: 20 });
  assert.deepEqual(line.cpu_us, { base: 500, head: 500, ratio: 1, low: 1, high: 1, pairs: 20 });
  assert.equal(line.rounds, 20);
});

test('a slice whose processor time could not be read is left out of that figure alone', () => {
  const unreadable = { base: { ...slice, pgMicroseconds: 0 }, head: slice };
  const line = lineOf('create_1', [unreadable, ...slower(1.2)]);
  assert.equal(line.cpu_us_pg.pairs, 20);
  assert.equal(line.p50_ms.pairs, 21);
});

test('an upper end above the limit is named, one at the limit is not', () => {
  const lines = [lineOf('create_1', slower(1.05)), lineOf('hot_128', slower(1.06))];
  assert.deepEqual(findAbove(lines, 1.05), ['hot_128 p50_ms 1.060']);
  assert.deepEqual(findAbove(lines, 1.1), []);
});

test('the table has a row for each measure', () => {
  const [, row] = summarise([lineOf('create_1', slower(1.2))]);
  assert.match(row ?? '', /^create_1 +1\.000 \[1\.000, 1\.000\] .* 1\.200 \[1\.200, 1\.200\]$/);
});
