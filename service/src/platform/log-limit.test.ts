import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLineLimit } from './log-limit.ts';

test('faults 74: of many kinds of trouble at once, at most eight lines a second are written, and none goes uncounted', () => {
  let now = 0;
  const limit = createLineLimit(() => now);
  let written = 0;
  for (let second = 0; second < 5; second += 1) {
    for (let at = 0; at < 1_000; at += 1) {
      now = second * 1_000 + at;
      if (limit.admit({ event: 'request.refused', code: `code${at % 30}` })) written += 1;
    }
  }
  assert.equal(written, 5 * 8);
  const repeats = limit.takeRepeats();
  assert(repeats.length <= 20);
  const counted = repeats.reduce((sum, line) => sum + Number(line.split(': ')[1]), 0);
  assert.equal(counted + written, 5_000);
});

test('requests that were served are all written; those that could not be are limited', () => {
  const limit = createLineLimit(() => 0);
  const admitted = (status: number) =>
    Array.from({ length: 50 }, () => limit.admit({ event: 'request.done', status })).filter(Boolean).length;
  assert.deepEqual([admitted(201), admitted(404), admitted(503), admitted(429)], [50, 50, 1, 1]);
});
