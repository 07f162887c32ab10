import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inParallel } from './in-parallel.ts';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number += 1) yield number;
}

test('every item is done once, and never more at a time than allowed', async () => {
  const done: number[] = [];
  let [underWay, most] = [0, 0];
  await inParallel(numbers(50), 4, async (number) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise(setImmediate);
    underWay -= 1;
    done.push(number);
  });
  assert.deepEqual([most, done.toSorted((one, other) => one - other)], [4, Array.from({ length: 50 }, (_, n) => n)]);
});

test('after a failure nothing more is begun, and what was begun is finished first', async () => {
  const finished: number[] = [];
  const failing = inParallel(numbers(50), 3, async (number) => {
    if (number === 1) throw new Error('planted');
    await new Promise(setImmediate);
    finished.push(number);
  });
  await assert.rejects(failing, /planted/);
  assert.deepEqual(finished, [0, 2]);
});
