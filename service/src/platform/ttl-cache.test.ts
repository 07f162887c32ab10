import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createTtlCache } from './ttl-cache.ts';

/** A look-up that counts how often it was made. */
function counting(): { lookUp: () => Promise<number>; count: () => number } {
  let count = 0;
  return {
    lookUp: async () => {
      count += 1;
      return count;
    },
    count: () => count,
  };
}

async function fail(): Promise<number> {
  throw new Error('no');
}

test('what was looked up is remembered, each key by itself', async () => {
  const cache = createTtlCache<number>({ keepMs: 60_000, most: 10 });
  const [one, other] = [counting(), counting()];
  for (let times = 0; times < 3; times += 1) {
    await cache.get('one', one.lookUp);
    await cache.get('other', other.lookUp);
  }
  assert.deepEqual([one.count(), other.count()], [1, 1]);
});

test('those who ask at the same time ask once', async () => {
  const cache = createTtlCache<number>({ keepMs: 60_000, most: 10 });
  const { lookUp, count } = counting();
  const answers = await Promise.all(Array.from({ length: 100 }, async () => cache.get('key', lookUp)));
  assert.deepEqual([new Set(answers).size, count()], [1, 1]);
});

test('it is forgotten once its time is over', async () => {
  const cache = createTtlCache<number>({ keepMs: 0, most: 10 });
  const { lookUp, count } = counting();
  await cache.get('key', lookUp);
  await wait(2);
  await cache.get('key', lookUp);
  assert.equal(count(), 2);
});

test('it holds so many and no more: the oldest make room', async () => {
  const cache = createTtlCache<number>({ keepMs: 60_000, most: 3 });
  const { lookUp, count } = counting();
  for (const key of ['a', 'b', 'c', 'd']) await cache.get(key, lookUp);
  for (const key of ['d', 'c', 'b']) await cache.get(key, lookUp);
  assert.equal(count(), 4);
  await cache.get('a', lookUp);
  assert.equal(count(), 5);
});

test('a failure is told to all who asked, and is not remembered', async () => {
  const cache = createTtlCache<number>({ keepMs: 60_000, most: 10 });
  const failed = await Promise.allSettled([cache.get('key', fail), cache.get('key', fail)]);
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await cache.get('key', counting().lookUp), 1);
});

test('a look-up that fails late does not take with it what was learned since', async () => {
  const cache = createTtlCache<number>({ keepMs: 250, most: 10 });
  const slow = Promise.withResolvers<number>();
  const first = cache.get('key', async () => slow.promise);
  await wait(260);
  const { lookUp, count } = counting();
  const second = cache.get('key', lookUp);
  slow.reject(new Error('late'));
  await assert.rejects(first);
  await second;
  await cache.get('key', lookUp);
  assert.equal(count(), 1);
});

test('what is forgotten is looked up anew, also while an earlier look-up is still under way', async () => {
  const cache = createTtlCache<number>({ keepMs: 60_000, most: 10 });
  const slow = Promise.withResolvers<number>();
  const first = cache.get('key', async () => slow.promise);
  cache.forget('key');
  const { lookUp, count } = counting();
  assert.equal(await cache.get('key', lookUp), 1);
  slow.resolve(0);
  assert.equal(await first, 0);
  assert.equal(await cache.get('key', lookUp), 1);
  assert.equal(count(), 1);
});
