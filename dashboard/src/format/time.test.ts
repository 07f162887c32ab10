import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPlainDate, formatTimestamp, monthsUpTo, startOfDay, startOfToday } from './time.ts';

test('months are London months: in summer one begins an hour earlier than in UTC', () => {
  assert.deepEqual(monthsUpTo(new Date('2026-06-30T23:30:00Z'), 3), ['2026-07', '2026-06', '2026-05']);
  assert.deepEqual(monthsUpTo(new Date('2026-01-31T23:30:00Z'), 3), ['2026-01', '2025-12', '2025-11']);
});

test('times are London times, and a date of another year has its year', () => {
  assert.equal(formatTimestamp(new Date('2021-06-30T23:30:00Z')), '1 Jul 2021, 00:30');
  assert.equal(formatTimestamp(new Date('2020-12-31T23:30:00Z')), '31 Dec 2020, 23:30');
  assert.equal(formatPlainDate('2019-03-31'), '31 Mar 2019');
  assert.equal(formatPlainDate(`${new Date().getUTCFullYear()}-06-15`), '15 Jun');
});

test('a day begins at midnight in London, also when the clocks change', () => {
  const starts = ['2026-01-10', '2026-03-29', '2026-03-30', '2026-10-25', '2026-10-26'].map((date) =>
    startOfDay(date)?.toISOString(),
  );
  assert.deepEqual(starts, [
    '2026-01-10T00:00:00.000Z',
    '2026-03-29T00:00:00.000Z',
    '2026-03-29T23:00:00.000Z',
    '2026-10-24T23:00:00.000Z',
    '2026-10-26T00:00:00.000Z',
  ]);
  assert.equal(startOfDay(''), undefined);
  assert.equal(startOfToday(new Date('2026-06-30T23:30:00Z')).toISOString(), '2026-06-30T23:00:00.000Z');
  assert.equal(startOfToday(new Date('2026-06-30T23:30:00Z'), 7).toISOString(), '2026-06-23T23:00:00.000Z');
});
