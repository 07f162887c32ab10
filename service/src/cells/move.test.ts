import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canAbort, moveSteps, stepAfter } from './move.ts';

test('a move can be aborted up to the switch, and only goes forward after it', () => {
  assert.deepEqual(
    moveSteps.filter((step) => !canAbort(step)),
    ['close', 'thaw', 'release'],
  );
  for (const state of ['done', 'abort', 'aborted'] as const) assert.equal(canAbort(state), false);
});

test('the steps lead to the end, each once', () => {
  const seen: string[] = [];
  for (let step: ReturnType<typeof stepAfter> = 'prepare'; step !== 'done'; step = stepAfter(step)) seen.push(step);
  assert.deepEqual(seen, moveSteps);
});
