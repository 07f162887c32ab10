import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHealth } from './health.ts';

function startHealth() {
  const time = { nowMs: 0, confirmedSince: 0 };
  const health = createHealth({
    now: () => time.nowMs,
    writesConfirmedForMs: () => Math.max(0, time.nowMs - time.confirmedSince),
  });
  return { time, health, succeeded: health.watch('sweep') };
}

test('a loop without a successful round for half a minute is named', () => {
  const { time, health, succeeded } = startHealth();
  health.watch('jobs');
  time.nowMs = 30_000;
  assert.deepEqual(health.alive(), { status: 200, body: { status: 'alive' } });
  succeeded();
  time.nowMs = 31_000;
  assert.deepEqual(health.alive(), { status: 503, body: { status: 'failing', failing: ['jobs'] } });
});

test('an outage of the database, and the half minute after it, is not the fault of a loop', () => {
  const { time, health } = startHealth();
  time.nowMs = 100_000;
  time.confirmedSince = 100_000;
  assert.equal(health.alive().status, 200);
  time.nowMs = 129_000;
  assert.equal(health.alive().status, 200);
  time.nowMs = 131_000;
  assert.equal(health.alive().status, 503);
});

test('a process is ready once its loops began and writes are confirmed', () => {
  const { time, health } = startHealth();
  time.nowMs = 1_000;
  assert.deepEqual(health.ready(), { status: 503, body: { status: 'failing', failing: ['start'] } });
  health.started();
  assert.deepEqual(health.ready(), { status: 200, body: { status: 'ready' } });
  time.confirmedSince = 1_000;
  assert.deepEqual(health.ready(), { status: 503, body: { status: 'failing', failing: ['writes'] } });
});
