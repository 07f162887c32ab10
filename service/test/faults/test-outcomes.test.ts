import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOutcomes } from './test-outcomes.ts';

test('a fault has passed if all of its tests have, and a test of two faults counts for both', () => {
  const printed = `
✔ faults 19: an answer of 500 (12.5ms)
✔ faults 19, 20: an answer (that is) empty (87.5ms)
✖ faults 20: a truncated answer (1000ms)
✔ something else (3ms)
✖ failing tests:

✖ faults 20: a truncated answer (1000ms)
`;
  assert.deepEqual(
    [...readOutcomes(printed)],
    [
      [19, { isPassed: true, text: '2 tests in 0.1 s' }],
      [20, { isPassed: false, text: '1 of 2 tests in 1.1 s' }],
    ],
  );
});
