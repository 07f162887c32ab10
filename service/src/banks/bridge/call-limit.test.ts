import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallLimit, type CallLimit } from './call-limit.ts';

const soonMs = 20;
const quickMs = 50;
const slowMs = 1_500;

/** How many get their turn of those who ask now. */
async function enterAll(limit: CallLimit, count: number): Promise<number> {
  const turns = await Promise.all(Array.from({ length: count }, async () => limit.enter(soonMs)));
  return turns.filter(Boolean).length;
}

function leaveAll(limit: CallLimit, count: number, how: 'answered' | 'late', tookMs = quickMs): void {
  for (let calls = 0; calls < count; calls += 1) limit.leave(how, tookMs);
}

test('a bank gets 128 calls at a time', async () => {
  assert.equal(await enterAll(createCallLimit(), 200), 128);
});

test('a bank that answers late gets half as many calls, few more while it is slow, and all again as it gets quick', async () => {
  const limit = createCallLimit();
  await enterAll(limit, 128);
  // Those that were under way together are late together, and count once.
  leaveAll(limit, 128, 'late');
  assert.equal(await enterAll(limit, 200), 64);
  leaveAll(limit, 64, 'answered', slowMs);
  assert.equal(await enterAll(limit, 200), 64);
  leaveAll(limit, 64, 'answered', slowMs);
  assert.equal(await enterAll(limit, 200), 65);
  leaveAll(limit, 65, 'answered');
  assert.equal(await enterAll(limit, 200), 128);
});

test('those who wait get the turns of those who leave, in order', async () => {
  const limit = createCallLimit();
  await enterAll(limit, 128);
  const entered: number[] = [];
  const waiting = [1, 2, 3].map(async (one) => {
    assert.equal(await limit.enter(60_000), true);
    entered.push(one);
  });
  leaveAll(limit, 3, 'answered');
  await Promise.all(waiting);
  assert.deepEqual(entered, [1, 2, 3]);
});

test('a bank is full once a call has waited for a second, and no longer when it has given up', async () => {
  let now = 0;
  const limit = createCallLimit(() => now);
  await enterAll(limit, 128);
  const waiting = enterAll(limit, 20);
  assert.equal(limit.isFull(), false);
  now = 1_000;
  assert.equal(limit.isFull(), true);
  assert.equal(await waiting, 0);
  assert.equal(limit.isFull(), false);
});
