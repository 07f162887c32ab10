import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundTicks } from './round-ticks.ts';

test('a scale has round steps, at most four above zero', () => {
  assert.deepEqual(roundTicks(3_300), [0, 1_000, 2_000, 3_000, 4_000]);
  assert.deepEqual(roundTicks(25), [0, 10, 20, 30]);
  assert.deepEqual(roundTicks(9_000), [0, 2_500, 5_000, 7_500, 10_000]);
  assert.deepEqual(roundTicks(0), [0, 1]);
});
