import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWorkingDay } from './working-days.ts';

/** As the government lists them for England and Wales. */
const holidays = [
  '2024-01-01 2024-03-29 2024-04-01 2024-05-06 2024-05-27 2024-08-26 2024-12-25 2024-12-26',
  '2025-01-01 2025-04-18 2025-04-21 2025-05-05 2025-05-26 2025-08-25 2025-12-25 2025-12-26',
  '2026-01-01 2026-04-03 2026-04-06 2026-05-04 2026-05-25 2026-08-31 2026-12-25 2026-12-28',
  '2027-01-01 2027-03-26 2027-03-29 2027-05-03 2027-05-31 2027-08-30 2027-12-27 2027-12-28',
].flatMap((year) => year.split(' '));

test('of four years, exactly weekends and the bank holidays of England are no working days', () => {
  const found: string[] = [];
  for (let day = Date.UTC(2024, 0, 1); day < Date.UTC(2028, 0, 1); day += 24 * 60 * 60_000) {
    const noon = new Date(day + 12 * 60 * 60_000);
    const isWeekend = [0, 6].includes(noon.getUTCDay());
    if (isWeekend) assert.equal(isWorkingDay(noon), false, noon.toISOString());
    else if (!isWorkingDay(noon)) found.push(noon.toISOString().slice(0, 10));
  }
  assert.deepEqual(found, holidays);
});

test('a day begins and ends by the clocks of London', () => {
  // Half past midnight on Monday in London is still Sunday in UTC, in summer.
  assert.equal(isWorkingDay(new Date('2026-06-14T23:30:00Z')), true);
  assert.equal(isWorkingDay(new Date('2026-06-14T22:30:00Z')), false);
  assert.equal(isWorkingDay(new Date('2026-11-15T23:30:00Z')), false);
});
