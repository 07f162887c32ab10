import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { nextPollAt, nextRetry, sendAgainWithinMs } from './schedules.ts';

const minute = 60_000;
const hour = 60 * minute;
const createdAt = new Date('2026-11-15T12:00:00Z');

function at(ageMs: number): Date {
  return new Date(createdAt.getTime() + ageMs);
}

/** How long a payment of this age is left alone. */
function pauseAt(ageMs: number): number {
  return nextPollAt(at(ageMs), createdAt).getTime() - at(ageMs).getTime();
}

test('faults 27: without any webhook a payment is looked at every four minutes of its first day, so seen within five', () => {
  let polls = 0;
  for (let age = 0; age < 24 * hour; age += pauseAt(age)) {
    const pause = pauseAt(age);
    assert(pause > 0 && pause <= 4 * minute, `a pause of ${pause} ms at ${age} ms`);
    polls += 1;
  }
  // And the bank is not asked without end.
  assert(polls < 400, `${polls} looks`);
});

test('most payments arrive at once: in the first minute one is looked at every 15 seconds', () => {
  for (const age of [0, 1, 59_999]) assert.equal(pauseAt(age), 15_000);
  assert.equal(pauseAt(minute), minute);
});

test('an older payment is looked at every hour, and never not at all', () => {
  for (const age of [24 * hour, 90 * 24 * hour, 10_000 * 24 * hour]) assert.equal(pauseAt(age), hour);
});

test('faults 29: a look always lies ahead, also where the clock was set back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -48 * hour, max: 1_000 * hour }), (age) => {
      const pause = pauseAt(age);
      assert(pause >= 15_000 && pause <= hour);
    }),
  );
});

/** When an order is sent again, counted from its creation, for as long as it may be. */
function retries(): number[] {
  const ages: number[] = [];
  for (let now = createdAt; now.getTime() - createdAt.getTime() < sendAgainWithinMs; now = nextRetry(now, createdAt)) {
    ages.push(now.getTime() - createdAt.getTime());
  }
  return ages;
}

test('a retry waits no shorter than the one before it, up to an hour', () => {
  const ages = retries();
  const pauses = ages.slice(1).map((age, index) => age - (ages[index] ?? 0));
  assert.deepEqual(
    pauses,
    pauses.toSorted((one, other) => one - other),
  );
  assert.equal(pauses[0], 2_000);
  assert.equal(pauses.at(-1), hour);
});

test('a bank that was away for two minutes is asked again within half a minute, however often it was asked in vain', () => {
  const ages = retries();
  const next = ages.find((age) => age > 2 * minute) ?? 0;
  assert(next - 2 * minute <= 30_000);
});

test('an order is sent again some eighty times at most, and never once the bank may have forgotten its key', () => {
  assert(retries().length <= 90, `${retries().length} attempts`);
  // The bank keeps a key for 24 hours: a try that began in time, and both clocks, have the last one.
  assert.equal(sendAgainWithinMs, 23 * hour);
});
