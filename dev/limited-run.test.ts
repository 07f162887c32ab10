import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginAt, runWithin } from './limited-run.ts';

const files = Array.from({ length: 10 }, (_, index) => `${index}.soak.test.ts`);

test('a limited run begins at a file that its commit chooses, and leaves none out of the order', () => {
  assert.deepEqual(beginAt('0000000d'.padEnd(40, '0'), files), [...files.slice(3), ...files.slice(0, 3)]);
  assert.deepEqual(beginAt('ffffffff'.padEnd(40, '0'), files).toSorted(), files);
});

test('a run with time enough leaves no file out, and fails where one group fails', async () => {
  const ran: string[] = [];
  const run = async (group: readonly string[]): Promise<number> => {
    ran.push(...group);
    return group.includes('5.soak.test.ts') ? 1 : 0;
  };
  assert.deepEqual(await runWithin(files, { isOver: () => false, run }), { code: 1, notRun: [] });
  assert.deepEqual(ran, files);
});

test('a run whose time is over begins no further group, and says what it left out', async () => {
  const ran: string[] = [];
  const run = async (group: readonly string[]): Promise<number> => {
    ran.push(...group);
    return 0;
  };
  const outcome = await runWithin(files, { isOver: () => ran.length > 4, run });
  assert.deepEqual(outcome, { code: 0, notRun: ['8.soak.test.ts', '9.soak.test.ts'] });
  assert.deepEqual(await runWithin(files, { isOver: () => true, run }), { code: 0, notRun: files.slice(4) });
});
