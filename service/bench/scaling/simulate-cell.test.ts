import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulateCell, type Cell, type Traffic } from './simulate-cell.ts';

/** A database with one core and one commit of one payout at a time: a queue from the textbook. */
const queue: Cell = {
  databaseCores: 1,
  apiCores: 1,
  apiProcesses: 1,
  apiSeconds: 0,
  apiCommitSeconds: 0,
  besideSeconds: 0,
  besideAtOnce: 0,
  commit: { perBatchSeconds: 0.01, perPayoutSeconds: 0, flushSeconds: 0 },
  batchSize: 1,
  commitsUnderWay: 1,
  soonSeconds: 0.05,
  bank: null,
};
const traffic: Traffic = { perSecond: 80, shares: [1], seconds: 1_500, warmSeconds: 100, seed: 1 };

function assertNear(value: number, expected: number, share: number): void {
  assert(Math.abs(value / expected - 1) <= share, `${value} is not within ${share * 100}% of ${expected}`);
}

test('one server with a fixed service time waits as long as the M/D/1 formula says', () => {
  for (const [perSecond, use] of [
    [50, 0.5],
    [80, 0.8],
    [90, 0.9],
  ] as const) {
    const { meanMs, databaseUse } = simulateCell(queue, { ...traffic, perSecond });
    assertNear(databaseUse, use, 0.02);
    assertNear(meanMs, 10 + (10 * use) / (2 * (1 - use)), 0.08);
  }
});

test('a shared core serves everyone as slowly as the formula of processor sharing says', () => {
  const shared = { ...queue, commitsUnderWay: 1_000_000, soonSeconds: -1 };
  const many = Array.from({ length: 20_000 }, () => 1);
  const { meanMs } = simulateCell(shared, { ...traffic, shares: many, seconds: 1_000 });
  assertNear(meanMs, 10 / (1 - 0.8), 0.08);
});

test('calls at the bank wait as in M/D/c, which for one slot is M/D/1', () => {
  const cell = { ...queue, commit: { perBatchSeconds: 0, perPayoutSeconds: 0, flushSeconds: 0 } };
  const one = simulateCell({ ...cell, bank: { slots: 1, seconds: 0.01 } }, traffic);
  assertNear(one.meanMs, 10 + (10 * 0.8) / (2 * 0.2), 0.08);
  const many = simulateCell({ ...cell, bank: { slots: 1_000, seconds: 0.5 } }, { ...traffic, seconds: 300 });
  assertNear(many.meanMs, 500, 0.001);
});

test('payouts that arrive during a commit go into the next one together', () => {
  const batched = { ...queue, batchSize: 64, commitsUnderWay: 2 };
  const { perSecond, payoutsPerCommit, p99Ms } = simulateCell(batched, { ...traffic, perSecond: 1_000, seconds: 200 });
  assertNear(perSecond, 1_000, 0.02);
  assertNear(payoutsPerCommit, 10, 0.2);
  assert(p99Ms < 30);
});

test('one wallet is locked by one commit at a time, however many processes and cores there are', () => {
  const cell = {
    ...queue,
    apiProcesses: 8,
    databaseCores: 64,
    batchSize: 4,
    commitsUnderWay: 2,
    commit: { perBatchSeconds: 0.004, perPayoutSeconds: 0, flushSeconds: 0.006 },
  };
  const over = { ...traffic, perSecond: 2_000, seconds: 30, warmSeconds: 5 };
  const hot = simulateCell(cell, over);
  assertNear(hot.perSecond, 4 / 0.01, 0.02);
  assertNear(hot.hotWalletUse, 1, 0.02);
  const spread = simulateCell(cell, { ...over, shares: Array.from({ length: 10_000 }, () => 1) });
  assertNear(spread.perSecond, 2_000, 0.03);
});

test('what is not answered is counted as waiting, and nothing is lost', () => {
  const { perSecond, waiting } = simulateCell(queue, { ...traffic, perSecond: 200, seconds: 100, warmSeconds: 10 });
  assertNear(perSecond, 100, 0.01);
  assertNear(waiting, 100 * 100, 0.05);
});

test('the same seed gives the same result, and another seed another one', () => {
  const short = { ...traffic, seconds: 60, warmSeconds: 10 };
  assert.deepEqual(simulateCell(queue, short), simulateCell(queue, short));
  assert.notDeepEqual(simulateCell(queue, short), simulateCell(queue, { ...short, seed: 2 }));
});
