import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextPollAt } from './poll-schedule.ts';

const now = new Date('2026-11-15T12:00:00Z');
const minutes = (count: number): number => count * 60_000;
const ninetyDays = 90 * 24 * 60;

function waitAfter(stillForMinutes: number): number | null {
  const next = nextPollAt(new Date(now.getTime() - minutes(stillForMinutes)), now);
  return next && next.getTime() - now.getTime();
}

test('a verification is looked at every minute at first, more and more seldom, and every hour later', () => {
  assert.deepEqual([-5, 0, 1, 10, 60, 300, 600, ninetyDays].map(waitAfter), [1, 1, 1, 1, 6, 30, 60, 60].map(minutes));
});

test('one that nobody went on with for 90 days is not looked at by itself any more', () => {
  assert.deepEqual([ninetyDays + 1, 10 * ninetyDays].map(waitAfter), [null, null]);
});
