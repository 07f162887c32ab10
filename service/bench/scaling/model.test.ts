import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assumptions } from './assumptions.ts';
import type { Figures } from './figures.ts';
import { fitLine } from './fit.ts';
import { boundsOf, firstBound, planFor } from './model.ts';
import { bytesByClass, diskAfter, readRetention } from './storage.ts';

const figures: Figures = {
  apiSeconds: 0.001,
  workerSeconds: 0.001,
  databaseSeconds: 0.004,
  walBytes: 10_000,
  commits: 5,
  flushes: 2,
  bankCallsOfApi: 1,
  bankCallsOfWorker: 1,
  webhooks: 2,
  numberingSeconds: 0.0001,
  walletSeconds: 0.0002,
  entries: 7,
  verifySecondsOfEntry: 0.00001,
  reconcileSeconds: 0.0001,
  bytes: { payouts: 1_000, events: 500, payout_leases: 100 },
};
const plain = {
  ...assumptions,
  use: 0.5,
  databaseCores: 16,
  averageToPeak: 0.5,
  nightSeconds: 3_600,
  archiveRatio: 0.1,
};

function boundOf(stage: string): number {
  return boundsOf(figures, plain).find((bound) => bound.stage === stage)?.perSecond ?? NaN;
}

test('each stage of a cell ends at the rate that its figure allows', () => {
  assert.equal(boundOf('Database cores'), (16 * 0.5) / 0.004);
  assert.equal(boundOf('WAL'), (250e6 * 0.5) / 10_000);
  assert.equal(boundOf('One wallet'), 5_000);
  assert.equal(Math.round(boundOf('Verification')), Math.round(3_600 / (0.00001 * 7 * 13 * 86_400 * 0.5)));
});

test('what one partner cannot exceed does not ask for more cells', () => {
  const slowWallet = { ...figures, walletSeconds: 1 };
  assert.deepEqual(firstBound(boundsOf(slowWallet, plain)), firstBound(boundsOf(figures, plain)));
});

test('cells follow from the stage that ends first, and what is used grows with the rate', () => {
  const first = firstBound(boundsOf(figures, plain)).perSecond;
  const [one, many] = [planFor(first, figures, plain), planFor(10 * first, figures, plain)];
  assert.deepEqual([one.cells, many.cells], [1, 10]);
  assert(Math.abs(many.walMegabytesPerSecond / one.walMegabytesPerSecond - 10) < 1e-9);
  assert(Math.abs(many.coresUsed / one.coresUsed - 10) < 1e-9);
});

test('the smallest plan still has two of each process and three nodes', () => {
  const { apiProcesses, workerProcesses, databaseMachines } = planFor(0.1, figures, plain);
  assert.deepEqual([apiProcesses, workerProcesses, databaseMachines], [2, 2, 3]);
});

test('disk grows by what is kept, and an archive takes what is older than it keeps', () => {
  const retention = readRetention();
  assert.deepEqual(
    [retention.get('payouts'), retention.get('events'), retention.get('payout_leases')],
    ['for ever', 4, 'while used'],
  );
  assert.deepEqual([...bytesByClass(figures, retention).values()], [1_000, 500, 100]);
  const millions = 1_000;
  const without = diskAfter(5, millions, { figures, retention, assumed: null });
  assert.deepEqual(without, { gigabytes: 5 * 1_000 + (4 / 12) * 500, archived: 0 });
  const archived = diskAfter(5, millions, { figures, retention, assumed: plain });
  assert(Math.abs(archived.gigabytes - ((13 / 12) * 1_000 + (4 / 12) * 500)) < 1e-6);
  assert(Math.abs(archived.archived - ((60 - 13) / 12) * 1_000 * 0.1) < 1e-6);
});

test('a line through points on a line is that line', () => {
  const { constant, perUnit } = fitLine([1, 2, 5].map((at) => ({ at, value: 3 + 2 * at })));
  assert(Math.abs(constant - 3) < 1e-9 && Math.abs(perUnit - 2) < 1e-9);
});
