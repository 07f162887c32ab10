import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lateMs } from './schedule-times.ts';

const minute = 60_000;
const hour = 60 * minute;

function late(schedule: string, succeededAt: string, now: string, mayTakeMs = 5 * minute): number {
  return lateMs({ schedule, succeededAt: new Date(succeededAt), mayTakeMs }, new Date(now));
}

test('a schedule is on time until its next run has had the time that it may take', () => {
  assert.equal(late('17 3 * * *', '2026-11-18T03:17:40Z', '2026-11-19T03:22:00Z'), 0);
  assert.equal(late('17 3 * * *', '2026-11-18T03:17:40Z', '2026-11-19T03:23:00Z'), minute);
  assert.equal(late('10 5 * * *', '2026-11-18T05:20:00Z', '2026-11-19T11:09:00Z', 6 * hour), 0);
});

test('a schedule that failed for days is as late as its first run that is missing', () => {
  assert.equal(late('17 3 * * *', '2026-11-18T03:17:40Z', '2026-11-21T03:22:00Z'), 48 * hour);
});

test('schedules of every minute, every fifth and once an hour come round by the clock', () => {
  assert.equal(late('* * * * *', '2026-11-18T10:00:30Z', '2026-11-18T10:07:00Z'), minute);
  assert.equal(late('*/5 * * * *', '2026-11-18T10:01:00Z', '2026-11-18T10:11:00Z'), minute);
  assert.equal(late('23 * * * *', '2026-11-18T10:23:00Z', '2026-11-18T11:30:00Z'), 2 * minute);
  assert.equal(late('5 * * * *', '2026-12-31T23:30:00Z', '2027-01-01T00:11:00Z'), minute);
});

test('a schedule that is not of every day is refused', () => {
  assert.throws(() => late('0 3 * * 1', '2026-11-18T10:00:00Z', '2026-11-18T10:00:00Z'), /every day/);
  assert.throws(() => late('0 1-3 * * *', '2026-11-18T10:00:00Z', '2026-11-18T10:00:00Z'), /no field/);
});
