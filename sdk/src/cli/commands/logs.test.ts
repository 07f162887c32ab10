import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActivityEntry } from '../../index.ts';
import { newEntries } from './logs.ts';

function entry(number: number, action = 'payout.create'): ActivityEntry {
  const at = new Date(Date.UTC(2026, 10, 18, 9, 0, number)).toISOString();
  return {
    at,
    environment: 'sandbox',
    action,
    status: 201,
    by: 'kp_sandbox_1',
    detail: null,
    request_id: `r${number}`,
  };
}

/** The newest first, as the API lists them. */
const pageTo = (last: number, length = 200): ActivityEntry[] =>
  Array.from({ length: Math.min(last, length) }, (_, at) => entry(last - at));
const seenIn = (page: readonly ActivityEntry[]): Set<string> => new Set(page.map((each) => JSON.stringify(each)));
const numbers = (entries: readonly ActivityEntry[]): (string | null)[] => entries.map(({ request_id: id }) => id);

test('at first the last 20 are shown, the oldest first, without reads of the log itself', () => {
  const { fresh } = newEntries([entry(31, 'activity.list'), ...pageTo(30)], undefined);
  assert.deepEqual([fresh.length, fresh[0]?.request_id, fresh.at(-1)?.request_id], [20, 'r11', 'r30']);
});

test('later, each new entry is shown once', () => {
  assert.deepEqual(newEntries(pageTo(30), seenIn(pageTo(30))), { fresh: [], isGap: false });
  assert.deepEqual(numbers(newEntries(pageTo(32), seenIn(pageTo(30))).fresh), ['r31', 'r32']);
  assert.deepEqual(numbers(newEntries(pageTo(400), seenIn(pageTo(398))).fresh), ['r399', 'r400']);
});

test('more new entries than a page holds are a gap', () => {
  assert.equal(newEntries(pageTo(600), seenIn(pageTo(300))).isGap, true);
  assert.equal(newEntries(pageTo(500), seenIn(pageTo(301))).isGap, false);
});
