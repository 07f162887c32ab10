import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createTokenLeases, type Lease, type RateRule, type TokenLeases, type Verdict } from './token-leases.ts';

/** What the database does, with a clock that only the test moves. Any number of processes take from it. */
function createShared(rule: RateRule = { perSecond: 100, burst: 200 }) {
  let nowMs = 1_000;
  const buckets = new Map<string, { tokens: number; filledAt: number }>();
  let failure: Error | undefined;
  let factor = 1;
  const asked: number[] = [];
  const lease = async (id: string, wanted: number): Promise<Lease> => {
    asked.push(wanted);
    if (failure !== undefined) throw failure;
    const burst = rule.burst * factor;
    const { tokens, filledAt } = buckets.get(id) ?? { tokens: burst, filledAt: nowMs };
    const filled = Math.min(burst, tokens + ((nowMs - filledAt) * rule.perSecond * factor) / 1000);
    const granted = Math.min(wanted, Math.floor(filled));
    buckets.set(id, { tokens: filled - granted, filledAt: nowMs });
    return { granted, left: filled - granted, factor };
  };
  return {
    asked,
    addProcess: (): TokenLeases => createTokenLeases({ rule, lease, now: () => nowMs, later: (work) => work() }),
    pass(ms: number) {
      nowMs += ms;
    },
    fail(error: Error | undefined) {
      failure = error;
    },
    raise(by: number) {
      factor = by;
    },
  };
}

async function takeMany(leases: TokenLeases, count: number): Promise<Verdict[]> {
  return Promise.all(Array.from({ length: count }, async () => leases.take('one')));
}

function countGranted(verdicts: readonly Verdict[]): number {
  return verdicts.filter(({ kind }) => kind === 'granted').length;
}

test('the first request waits for a lease of a twentieth of the burst, and the next are answered at once', async () => {
  const shared = createShared();
  const leases = shared.addProcess();
  assert(leases.take('one') instanceof Promise);
  await leases.take('one');
  for (let at = 0; at < 3; at += 1) {
    const verdict = leases.take('one');
    assert(!(verdict instanceof Promise));
    assert.equal(verdict.kind, 'granted');
  }
  assert.deepEqual(shared.asked, [10]);
});

test('when half of a lot is gone the next is asked for, and nobody waits for it', async () => {
  const shared = createShared();
  const leases = shared.addProcess();
  await leases.take('one');
  for (let at = 0; at < 4; at += 1) assert(!(leases.take('one') instanceof Promise));
  assert.deepEqual(shared.asked, [10, 10]);
});

test('a thousand requests at once are admitted up to the burst, by few leases', async () => {
  const shared = createShared();
  assert.equal(countGranted(await takeMany(shared.addProcess(), 1_000)), 200);
  assert(shared.asked.length <= 3, `${shared.asked.length} leases`);
});

test('thirty requests at once, each of which the bucket covers, are all admitted', async () => {
  const shared = createShared({ perSecond: 25, burst: 100 });
  assert.equal(countGranted(await takeMany(shared.addProcess(), 30)), 30);
});

test('three processes that are flooded admit together what the bucket holds, and ask at most every 50 ms', async () => {
  const shared = createShared();
  const processes = [shared.addProcess(), shared.addProcess(), shared.addProcess()];
  const seconds = 5;
  let admitted = 0;
  for (let ms = 0; ms < seconds * 1_000; ms += 1) {
    for (const leases of processes) admitted += countGranted(await takeMany(leases, 1));
    shared.pass(1);
  }
  const allowed = 200 + 100 * seconds;
  assert(Math.abs(admitted - allowed) <= allowed * 0.02, `${admitted} of ${allowed}`);
  assert(shared.asked.length <= processes.length * (20 * seconds + 20), `${shared.asked.length} leases`);
});

test('an empty bucket refuses at once, says when to come back, and is not asked for 50 ms', async () => {
  const shared = createShared();
  const leases = shared.addProcess();
  await takeMany(leases, 300);
  const before = shared.asked.length;
  shared.pass(49);
  const refused = leases.take('one');
  assert.deepEqual(refused, { kind: 'refused', limit: 200, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 });
  assert.equal(shared.asked.length, before);
  shared.pass(1);
  assert(!(leases.take('one') instanceof Promise), 'it asks for those who come next, and does not wait');
  assert.equal(shared.asked.length, before + 1);
});

test('in a flood whoever is let in is answered at once; who comes back after a pause waits for its lease and is let in', async () => {
  const shared = createShared();
  const leases = shared.addProcess();
  await takeMany(leases, 300);
  for (let ms = 0; ms < 1_000; ms += 1) {
    assert(!(leases.take('one') instanceof Promise));
    await setImmediate();
    shared.pass(1);
  }
  shared.pass(1_000);
  const verdict = leases.take('one');
  assert.equal((await verdict).kind, 'granted');
});

test('what remains is what is in hand and what the bucket had left, with what it gained since', async () => {
  const shared = createShared();
  const leases = shared.addProcess();
  assert.deepEqual(await leases.take('one'), { kind: 'granted', limit: 200, remaining: 199, resetSeconds: 1 });
  await takeMany(leases, 99);
  const verdict = await leases.take('one');
  assert.deepEqual(verdict, { kind: 'granted', limit: 200, remaining: 99, resetSeconds: 2 });
  shared.pass(60_000);
  assert.deepEqual(await leases.take('one'), { kind: 'granted', limit: 200, remaining: 200, resetSeconds: 0 });
});

test('tokens in hand do not expire: who asks once a second needs a lease every ten seconds', async () => {
  const shared = createShared();
  const leases = shared.addProcess();
  for (let at = 0; at < 100; at += 1) {
    assert.equal((await leases.take('one')).kind, 'granted');
    shared.pass(1_000);
  }
  assert(shared.asked.length <= 11, `${shared.asked.length} leases`);
});

test('a raised limit is learned with the lease', async () => {
  const shared = createShared();
  shared.raise(3);
  const leases = shared.addProcess();
  const verdicts = await takeMany(leases, 1_000);
  assert.equal(countGranted(verdicts), 600);
  assert.equal((await leases.take('one')).kind, 'refused');
  shared.pass(1_000);
  assert.deepEqual(await leases.take('one'), { kind: 'granted', limit: 600, remaining: 299, resetSeconds: 2 });
});

test('a bucket that can not be asked lets everybody through, and is asked again a second later', async () => {
  const shared = createShared();
  const leases = shared.addProcess();
  shared.fail(new Error('no connection'));
  assert.deepEqual(await leases.take('one'), { kind: 'unknown' });
  assert.deepEqual(leases.take('one'), { kind: 'unknown' });
  assert.equal(shared.asked.length, 1);
  shared.fail(undefined);
  shared.pass(1_000);
  assert.equal((await leases.take('one')).kind, 'granted');
});

test('tokens in hand are still spent while the bucket can not be asked', async () => {
  const shared = createShared();
  const leases = shared.addProcess();
  await leases.take('one');
  shared.fail(new Error('no connection'));
  const kinds = (await takeMany(leases, 12)).map(({ kind }) => kind);
  assert.deepEqual(kinds, [...Array.from({ length: 9 }, () => 'granted'), 'unknown', 'unknown', 'unknown']);
});

test('one caller does not take from another', async () => {
  const shared = createShared({ perSecond: 1, burst: 1 });
  const leases = shared.addProcess();
  await leases.take('one');
  assert.equal((await leases.take('one')).kind, 'refused');
  assert.equal((await leases.take('two')).kind, 'granted');
});

test('of more than ten thousand callers the oldest is forgotten, and simply asks anew', async () => {
  const shared = createShared({ perSecond: 1_000_000, burst: 1_000_000 });
  const leases = shared.addProcess();
  for (let at = 0; at <= 10_000; at += 1) await leases.take(`caller ${at}`);
  assert.equal(shared.asked.length, 10_001);
  assert(!(leases.take('caller 10000') instanceof Promise));
  assert(leases.take('caller 0') instanceof Promise);
});
