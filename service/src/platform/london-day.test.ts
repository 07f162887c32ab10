import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayBefore, dayOf, dayStart, endOfDay } from './london-day.ts';

const days = [
  { instant: '2026-01-15T23:59:59.999Z', day: '2026-01-15', ends: '2026-01-16T00:00:00.000Z' },
  { instant: '2026-07-15T22:59:59.999Z', day: '2026-07-15', ends: '2026-07-15T23:00:00.000Z' },
  { instant: '2026-07-15T23:00:00.000Z', day: '2026-07-16', ends: '2026-07-16T23:00:00.000Z' },
  // 23 hours: the clocks go forward.
  { instant: '2026-03-29T00:00:00.000Z', day: '2026-03-29', ends: '2026-03-29T23:00:00.000Z' },
  // 25 hours: the clocks go back.
  { instant: '2026-10-24T23:00:00.000Z', day: '2026-10-25', ends: '2026-10-26T00:00:00.000Z' },
  { instant: '2026-10-25T23:30:00.000Z', day: '2026-10-25', ends: '2026-10-26T00:00:00.000Z' },
];

for (const { instant, day, ends } of days) {
  test(`${instant} is on ${day} in London, which ends at ${ends}`, () => {
    assert.equal(dayOf(new Date(instant)), day);
    assert.equal(endOfDay(new Date(instant)).toISOString(), ends);
  });
}

test('days begin where the one before ends, also where the clocks change', () => {
  for (const day of ['2026-03-29', '2026-03-30', '2026-10-25', '2026-10-26', '2027-01-01'])
    assert.deepEqual(dayStart(day), endOfDay(dayStart(dayBefore(day))), day);
  assert.equal(dayStart('2026-03-29').toISOString(), '2026-03-29T00:00:00.000Z');
  assert.equal(dayStart('2026-10-25').toISOString(), '2026-10-24T23:00:00.000Z');
});
