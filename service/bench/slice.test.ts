import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCompletions, requireSome } from './completions.ts';
import { measureSlice, type Running, type Slice } from './slice.ts';

const timing = { warmMs: 0, windowMs: 1 };
const readTime = () => ({ pgMicroseconds: 0, nodeMicroseconds: 0 });

/** Each slice it starts does the next of these numbers of requests. */
function startEach(requests: number[]): () => Running {
  return () => ({
    begun: async () => undefined,
    async finish(window) {
      const completions = createCompletions();
      for (let left = requests.shift() ?? 0; left > 0; left -= 1) completions.add(window.fromMs, 2);
      return requireSome(completions.count(window));
    },
  });
}

async function measure(...requests: number[]): Promise<Slice> {
  return measureSlice(startEach(requests), timing, readTime);
}

test('a slice in which the machine stood still is taken again', async () => {
  const { tps, p50Ms, p99Ms } = await measure(0, 0, 3);
  assert(tps > 0);
  assert.deepEqual([p50Ms, p99Ms], [2, 2]);
});

test('a slice in which nothing is ever done ends the run', async () => {
  await assert.rejects(measure(0, 0, 0, 3), /nothing was done/);
});
