import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { projectFolder } from '@kelpie/dev/project.ts';
import { queues } from '../../src/app/wiring/queues.ts';

/** As a crontab has it: `37 2 * * *` is daily at 02:37. */
function describeSchedule(schedule: string): string {
  const [minute = '', hour = ''] = schedule.split(' ');
  if (minute === '*') return 'every minute';
  if (minute.startsWith('*/')) return `every ${minute.slice(2)} minutes`;
  return hour === '*' ? 'hourly' : `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}

test('docs/jobs.md lists every queue with its schedule', () => {
  const page = readFileSync(`${projectFolder}/docs/jobs.md`, 'utf8');
  const rows = new Map(
    Array.from(page.matchAll(/^\| `([\w-]+)` \| ([^|]*) \|/gm), ([, name = '', when]) => [name, when]),
  );
  assert.deepEqual([...rows.keys()].toSorted(), queues.map(({ name }) => name).toSorted());
  for (const { name, schedule } of queues)
    if (schedule !== undefined) assert(rows.get(name)?.includes(describeSchedule(schedule)), `${name}: ${schedule}`);
});
