import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalLimit } from './local-limit.ts';

function openLimit() {
  const time = { ms: 0 };
  return { time, limit: createLocalLimit({ perSecond: 2, burst: 3 }, () => time.ms) };
}

test('each caller has a burst of its own, and then what comes back with time', () => {
  const { time, limit } = openLimit();
  assert.deepEqual(
    ['a', 'a', 'a', 'a', 'b'].map((id) => limit.take(id)),
    [0, 0, 0, 1, 0],
  );
  time.ms = 499;
  assert.equal(limit.waitSeconds('a'), 1);
  time.ms = 500;
  assert.deepEqual([limit.waitSeconds('a'), limit.take('a'), limit.take('a')], [0, 0, 1]);
});

test('a rest fills no more than the burst', () => {
  const { time, limit } = openLimit();
  limit.take('a');
  time.ms = 3_600_000;
  assert.deepEqual(
    [1, 2, 3, 4].map(() => limit.take('a')),
    [0, 0, 0, 1],
  );
});

test('callers that are made up push out the oldest, and do not fill the memory', () => {
  const { limit } = openLimit();
  for (let taken = 0; taken < 4; taken += 1) limit.take('first');
  for (let made = 0; made < 10_001; made += 1) limit.take(`made up ${made}`);
  assert.equal(limit.take('first'), 0);
});
