import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPause } from './pause.ts';

function createScene() {
  let at = 0;
  const pause = createPause(() => at);
  const pass = (ms: number): void => {
    at += ms;
  };
  return { pause, pass };
}

test('a standby that failed is left alone for a while, and then asked by one caller', () => {
  const { pause, pass } = createScene();
  assert.deepEqual([pause.begin(), pause.begin()], [true, true]);
  pause.failed(1_000);
  pass(999);
  assert.equal(pause.begin(), false);
  pass(1);
  assert.deepEqual([pause.begin(), pause.begin()], [true, false]);
});

test('once that caller is answered, all may ask', () => {
  const { pause, pass } = createScene();
  pause.failed(1_000);
  pass(1_000);
  pause.begin();
  pause.answered();
  assert.deepEqual([pause.isDown(), pause.begin(), pause.begin()], [false, true, true]);
});

test('a failure of one statement pauses nothing, and another caller finds out where it was the only one to ask', () => {
  const { pause, pass } = createScene();
  pause.failed(0);
  assert.deepEqual([pause.isDown(), pause.begin()], [false, true]);
  pause.failed(1_000);
  pass(1_000);
  pause.begin();
  pause.failed(0);
  assert.deepEqual([pause.isDown(), pause.begin()], [true, true]);
});
