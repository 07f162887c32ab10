import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterFailure, nextLookAt } from './look-again.ts';

const now = new Date('2026-11-15T12:00:00Z');
const minutes = (count: number): number => count * 60_000;
const waitAfter = (stillForMinutes: number): number =>
  nextLookAt(new Date(now.getTime() - minutes(stillForMinutes)), now).getTime() - now.getTime();

test('a verification is looked at every minute at first, more and more seldom, and every hour in the end', () => {
  assert.deepEqual([-5, 0, 1, 10, 60, 300, 600, 100_000].map(waitAfter), [1, 1, 1, 1, 6, 30, 60, 60].map(minutes));
});

test('a bank that could not be asked is asked again after a minute', () => {
  assert.equal(afterFailure(now).getTime() - now.getTime(), minutes(1));
});
