import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queues } from '../wiring/queues.ts';
import { longestPauseMinutes } from './schedule-pause.ts';

test('a schedule is late once its next run should have succeeded, too', () => {
  assert.equal(longestPauseMinutes('* * * * *'), 16);
  assert.equal(longestPauseMinutes('*/5 * * * *'), 20);
  assert.equal(longestPauseMinutes('23 * * * *'), 75);
  assert.equal(longestPauseMinutes('17 3 * * *'), 26 * 60);
  assert.equal(longestPauseMinutes('0 4 1 * *'), 31 * 24 * 60 + 2 * 60);
});

test('every schedule is of a form that the doctor reads', () => {
  const schedules = queues.flatMap(({ schedule }) => (schedule === undefined ? [] : [schedule]));
  assert(schedules.length > 10);
  for (const schedule of schedules) assert.match(schedule, /^(?:\*(?:\/\d+)?|\d+) (?:\*|\d+) \* \* \*$/);
});
