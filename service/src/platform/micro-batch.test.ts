import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMicroBatch } from './micro-batch.ts';

interface Order {
  name: string;
  key: string;
}

class Undone extends Error {}

function order(name: string, key = name): Order {
  return { name, key };
}

/** A batch of which the test says when it ends, and how. */
function createScene(size = 64, eager = true, gatherMs = 0) {
  const batches: { names: string[]; end: PromiseWithResolvers<string[]> }[] = [];
  const ask = createMicroBatch<Order, string>({
    name: 'ask',
    size,
    eager,
    gatherMs,
    keyOf: ({ key }) => key,
    async together(orders) {
      const end = Promise.withResolvers<string[]>();
      batches.push({ names: orders.map(({ name }) => name), end });
      return end.promise;
    },
    didNothing: (error) => error instanceof Undone,
    tooMany: () => new Error('too many'),
  });
  const names = (): string[][] => batches.map((batch) => batch.names);
  const succeed = async (at: number): Promise<void> => {
    const batch = batches[at];
    batch?.end.resolve(batch.names.map((name) => `${name} together`));
    await nextTurn();
    await nextTurn();
  };
  return { ask, batches, names, succeed };
}

test('an idle batch asks at once, with all that came in the same turn, in order', async () => {
  const { ask, names, succeed } = createScene();
  const answers = Promise.all(['a', 'b', 'c'].map(async (name) => ask(order(name))));
  assert.deepEqual(names(), []);
  await nextTurn();
  assert.deepEqual(names(), [['a', 'b', 'c']]);
  await succeed(0);
  assert.deepEqual(await answers, ['a together', 'b together', 'c together']);
});

test('what arrives while two batches are under way is the next one, no larger than allowed', async () => {
  const { ask, names, succeed } = createScene(3);
  const answers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map(async (name) => ask(order(name)));
  await nextTurn();
  assert.deepEqual(names(), [
    ['a', 'b', 'c'],
    ['d', 'e', 'f'],
  ]);
  await succeed(1);
  assert.deepEqual(names().slice(2), [['g', 'h', 'i']]);
  await succeed(0);
  assert.deepEqual(names().slice(3), [['j']]);
  await succeed(2);
  await succeed(3);
  assert.equal((await Promise.all(answers)).length, 10);
});

test('no two of one key are under way at once, and others do not wait for them', async () => {
  const { ask, names, succeed } = createScene();
  const answers = [order('a1', 'a'), order('a2', 'a'), order('b')].map(async (one) => ask(one));
  await nextTurn();
  assert.deepEqual(names(), [['a1', 'b']]);
  await succeed(0);
  assert.deepEqual(names(), [['a1', 'b'], ['a2']]);
  await succeed(1);
  assert.deepEqual(await Promise.all(answers), ['a1 together', 'a2 together', 'b together']);
});

test('a batch that one item spoils is asked one by one, and only that item fails', async () => {
  const { ask, batches, names, succeed } = createScene();
  const answers = Promise.allSettled(['a', 'poison', 'c'].map(async (name) => ask(order(name))));
  await nextTurn();
  batches[0]?.end.reject(new Undone());
  await nextTurn();
  assert.deepEqual(names().slice(1), [['a'], ['poison'], ['c']]);
  batches[2]?.end.reject(new Undone());
  await succeed(1);
  await succeed(3);
  assert.deepEqual(
    (await answers).map((one) => (one.status === 'fulfilled' ? one.value : 'failed')),
    ['a together', 'failed', 'c together'],
  );
  assert.equal(batches.length, 4, 'an item that spoils its own batch is not asked again');
});

test('a batch of which nobody knows whether it happened is not repeated: all of it fails, and the next goes on', async () => {
  const { ask, batches, names, succeed } = createScene();
  const answers = ['a', 'b'].map(async (name) => ask(order(name)));
  await nextTurn();
  batches[0]?.end.reject(new Error('the connection broke'));
  for (const answer of answers) await assert.rejects(answer, /connection broke/);
  assert.equal(batches.length, 1);
  const next = ask(order('a'));
  await nextTurn();
  assert.deepEqual(names()[1], ['a']);
  await succeed(1);
  assert.equal(await next, 'a together');
});

test('where a thousand wait already, one more is refused at once', async () => {
  const { ask, batches, succeed } = createScene(1);
  const answers = Array.from({ length: 2 + 1_024 }, (_, at) => at);
  const waiting: Promise<string>[] = [];
  for (const at of answers) {
    waiting.push(ask(order(`${at}`)));
    if (at < 2) await nextTurn();
  }
  await assert.rejects(ask(order('one more')), /too many/);
  for (let at = 0; at < answers.length; at += 1) {
    while (batches[at] === undefined) await nextTurn();
    await succeed(at);
  }
  assert.equal((await Promise.all(waiting)).length, answers.length);
});

test('where batches would wait for the same rows, a second one goes only when it is full', async () => {
  const { ask, names, succeed } = createScene(2, false);
  const answers = [ask(order('a'))];
  await nextTurn();
  answers.push(ask(order('b')));
  await nextTurn();
  assert.deepEqual(names(), [['a']]);
  answers.push(ask(order('c')));
  await nextTurn();
  assert.deepEqual(names(), [['a'], ['b', 'c']]);
  answers.push(ask(order('d')));
  await nextTurn();
  await succeed(0);
  assert.deepEqual(names().length, 2, 'the second is under way, and d alone is not full');
  await succeed(1);
  assert.deepEqual(names()[2], ['d']);
  await succeed(2);
  assert.equal((await Promise.all(answers)).length, 4);
});

test('a batch that is held up does not hold up the next', async () => {
  const { ask, names, succeed } = createScene(64, false);
  const answers = [ask(order('a'))];
  await nextTurn();
  const heldUpAt = performance.now();
  while (performance.now() - heldUpAt < 60) await nextTurn();
  answers.push(ask(order('b')));
  await nextTurn();
  assert.deepEqual(names(), [['a'], ['b']]);
  await succeed(1);
  await succeed(0);
  assert.equal((await Promise.all(answers)).length, 2);
});

test('a batch that nobody waits for gathers until its time is over or it is full', async () => {
  const gatherMs = 40;
  const { ask, names, succeed } = createScene(3, false, gatherMs);
  const beganAt = performance.now();
  const answers = [ask(order('a'))];
  while (names().length === 0) {
    if (answers.length === 1) answers.push(ask(order('b')));
    await nextTurn();
  }
  assert(performance.now() - beganAt >= gatherMs - 1);
  assert.deepEqual(names(), [['a', 'b']]);
  await succeed(0);
  answers.push(ask(order('c')), ask(order('d')), ask(order('e')));
  await nextTurn();
  assert.deepEqual(names()[1], ['c', 'd', 'e'], 'a full one does not wait');
  await succeed(1);
  assert.equal((await Promise.all(answers)).length, 5);
});
