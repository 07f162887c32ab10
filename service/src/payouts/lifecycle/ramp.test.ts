import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRamp } from './ramp.ts';

test('after an outage a few are taken, and twice as many each time that so many have succeeded', () => {
  const ramp = createRamp({ few: 4, usual: 32 });
  assert.equal(ramp.most(), 32);
  ramp.restart();
  const steps: number[] = [];
  for (let successes = 0; successes < 40; successes += 1) {
    if (steps.at(-1) !== ramp.most()) steps.push(ramp.most());
    ramp.succeeded();
  }
  assert.deepEqual(steps, [4, 8, 16, 32]);
  ramp.restart();
  assert.equal(ramp.most(), 4);
});
