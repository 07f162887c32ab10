import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallLimit, type CallLimit } from './call-limit.ts';

const soonMs = 20;

/** How many get their turn of those who ask now. */
async function enterAll(limit: CallLimit, count: number): Promise<number> {
  const turns = await Promise.all(Array.from({ length: count }, async () => limit.enter(soonMs)));
  return turns.filter(Boolean).length;
}

test('a bank gets 128 calls at a time, half as many after a late answer, and one more after each answer', async () => {
  const limit = createCallLimit();
  assert.equal(await enterAll(limit, 200), 128);
  // Those that were under way together are late together, and count once.
  for (let calls = 0; calls < 128; calls += 1) limit.leave('late');
  assert.equal(await enterAll(limit, 200), 64);
  for (let calls = 0; calls < 64; calls += 1) limit.leave('answered');
  assert.equal(await enterAll(limit, 200), 128);
});

test('who waits gets the turn of whoever leaves, in order', async () => {
  const limit = createCallLimit();
  await enterAll(limit, 128);
  const entered: number[] = [];
  const waiting = [1, 2, 3].map(async (one) => {
    assert.equal(await limit.enter(60_000), true);
    entered.push(one);
  });
  for (let calls = 0; calls < 3; calls += 1) limit.leave('answered');
  await Promise.all(waiting);
  assert.deepEqual(entered, [1, 2, 3]);
});

test('a bank is full once as many wait as it takes at a time, and not for those who gave up', async () => {
  const limit = createCallLimit();
  await enterAll(limit, 128);
  const waiting = enterAll(limit, 128);
  assert.equal(limit.isFull(), true);
  assert.equal(await waiting, 0);
  assert.equal(limit.isFull(), false);
});
