import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attempt } from '../simulate/payouts-clients.ts';
import { countFalseSuccesses, measure } from './measure.ts';

function attempt(startedAtMs: number, tookMs: number, status: number, what: Attempt['what'] = 'create'): Attempt {
  return { startedAtMs, tookMs, status, what };
}

test('the gap is between two acknowledged payouts, and recovery ends with it', () => {
  const attempts = [
    attempt(900, 50, 201),
    attempt(1_000, 100, 201),
    attempt(1_200, 30, 503),
    attempt(2_000, 6_000, 503),
    attempt(9_000, 500, 201),
    attempt(9_500, 100, 200),
  ];
  const measured = measure(attempts, { fromMs: 1_050, toMs: 10_000 });
  assert.equal(measured.worstGapMs, 8_400);
  assert.equal(measured.recoveryMs, 8_450);
  assert.equal(measured.slowestMs, 6_000);
  assert.deepEqual(measured.statuses, { 200: 1, 201: 2, 503: 2 });
});

test('a fault that nobody noticed has no time to recover', () => {
  const attempts = Array.from({ length: 100 }, (_, at) => attempt(at * 100, 20, 201));
  const measured = measure(attempts, { fromMs: 1_000, toMs: 9_000 });
  assert.equal(measured.recoveryMs, 0);
  assert(measured.worstGapMs <= 120);
});

test('a service that never came back has a gap to the end, and cancelling is no acknowledgement', () => {
  const measured = measure([attempt(1_000, 10, 201), attempt(30_000, 10, 200, 'cancel')], {
    fromMs: 1_000,
    toMs: 60_000,
  });
  assert.equal(measured.worstGapMs, 58_990);
});

test('a new payout whose request began while no commit could be confirmed is a false success', () => {
  const attempts = [attempt(900, 300, 201), attempt(1_100, 50, 201), attempt(1_100, 50, 200), attempt(1_900, 300, 201)];
  assert.equal(countFalseSuccesses(attempts, { fromMs: 1_000, toMs: 2_000 }), 1);
});
