import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthsUpTo } from './time.ts';

test('months are those of London: one begins there an hour before it does in UTC, in summer', () => {
  assert.deepEqual(monthsUpTo(new Date('2026-06-30T23:30:00Z'), 3), ['2026-07', '2026-06', '2026-05']);
  assert.deepEqual(monthsUpTo(new Date('2026-01-31T23:30:00Z'), 3), ['2026-01', '2025-12', '2025-11']);
});
