import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstIdAt } from '../../platform/ids.ts';
import { lastDays, volumeFrom } from './daily-volume.ts';

test('the last 30 days are those of London, each once, also where the clocks change', () => {
  for (const at of ['2026-11-15T12:00:00Z', '2026-10-25T00:30:00Z', '2026-03-29T23:30:00Z', '2026-07-01T23:30:00Z']) {
    const days = lastDays(new Date(at));
    assert.equal(days.length, 30);
    assert.equal(new Set(days).size, 30);
    assert.deepEqual(days, days.toSorted());
  }
  assert.equal(lastDays(new Date('2026-07-01T23:30:00Z')).at(-1), '2026-07-02');
  assert.equal(lastDays(new Date('2026-11-15T23:30:00Z')).at(-1), '2026-11-15');
});

const at = new Date('2026-11-15T12:00:00Z');
const dayWith = (date: string, completed: number, oldestAt: string) => ({
  date,
  completed,
  paid: BigInt(completed) * 100n,
  failed: 0,
  oldestId: firstIdAt(new Date(oldestAt)),
});

test('where there are more payouts than are counted, the answer says since when, and has no day before that', () => {
  const counted = [
    dayWith('2026-11-15', 6, '2026-11-15T00:10:00Z'),
    dayWith('2026-11-14', 4, '2026-11-14T18:00:00.000Z'),
  ];
  const cut = volumeFrom(counted, at, 10);
  assert.equal(cut.countedSince?.toISOString(), '2026-11-14T18:00:00.000Z');
  assert.deepEqual(
    cut.days.map(({ date, completed }) => [date, completed]),
    [
      ['2026-11-14', 4],
      ['2026-11-15', 6],
    ],
  );
});

test('where all of them are counted, all 30 days are there, and nothing else is said', () => {
  const whole = volumeFrom([dayWith('2026-11-15', 9, '2026-11-15T00:10:00Z')], at, 10);
  assert.deepEqual([whole.days.length, whole.countedSince], [30, null]);
  assert.deepEqual([volumeFrom([], at, 10).days.length, volumeFrom([], at, 10).countedSince], [30, null]);
});

test('what is left out before the first of the days takes nothing from them', () => {
  const volume = volumeFrom([dayWith('2026-10-17', 10, '2026-10-12T08:00:00Z')], at, 10);
  assert.deepEqual([volume.days.length, volume.days[0]?.completed, volume.countedSince], [30, 10, null]);
});
