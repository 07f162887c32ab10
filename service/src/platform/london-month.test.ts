import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthAfter, monthBefore, monthEnd, monthOf, monthStart, parseMonth } from './london-month.ts';

test('a month begins at midnight in London, in summer an hour before it does in UTC', () => {
  const starts = {
    '2028-01': '2028-01-01T00:00:00.000Z',
    '2028-03': '2028-03-01T00:00:00.000Z',
    '2028-04': '2028-03-31T23:00:00.000Z',
    '2028-10': '2028-09-30T23:00:00.000Z',
    '2028-11': '2028-11-01T00:00:00.000Z',
  };
  for (const [month, start] of Object.entries(starts)) {
    assert.equal(monthStart(month).toISOString(), start);
    assert.equal(monthOf(new Date(start)), month);
    assert.equal(monthOf(new Date(Date.parse(start) - 1)), monthBefore(month));
  }
});

test('faults 29: over forty years every month ends where the next begins, and holds its first and last millisecond', () => {
  let month = '2000-01';
  for (let count = 0; count < 480; count += 1) {
    const end = monthEnd(month);
    assert.deepEqual(end, monthStart(monthAfter(month)));
    assert.equal(monthOf(monthStart(month)), month);
    assert.equal(monthOf(new Date(end.getTime() - 1)), month);
    assert.equal(monthBefore(monthAfter(month)), month);
    month = monthAfter(month);
  }
  assert.equal(month, '2040-01');
});

test('what is not a month is not read', () => {
  assert.equal(parseMonth('2026-11'), '2026-11');
  for (const text of ['', '2026', '2026-00', '2026-13', '2026-1', '26-01', '2026-11-01', ' 2026-11'])
    assert.equal(parseMonth(text), undefined, text);
});
