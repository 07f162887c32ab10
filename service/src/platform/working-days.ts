// The working days of England: neither a weekend nor a bank holiday. One that is proclaimed for a single year, as for a
// coronation, is not known here: on such a day work is done that could have waited.

const inLondon = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London', dateStyle: 'short' });

/** A calendar day by the clocks of London, as 2026-11-15. */
function dayOf(instant: Date): string {
  return inLondon.format(instant);
}

function dayAt(year: number, month: number, day: number): Date {
  return new Date(Date.UTC(year, month - 1, day));
}

function plusDays(day: Date, days: number): Date {
  return new Date(day.getTime() + days * 24 * 60 * 60_000);
}

/** Sunday is 0. */
const [sunday, monday, saturday] = [0, 1, 6];

function isWeekend(day: Date): boolean {
  return [sunday, saturday].includes(day.getUTCDay());
}

/** By the rule of the Gregorian calendar, as Butcher wrote it down. */
function easterSunday(year: number): Date {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const [d, e] = [Math.floor(b / 4), b % 4];
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const [i, k] = [Math.floor(c / 4), c % 4];
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 19 * l) / 433);
  const month = Math.floor((h + l - 7 * m + 90) / 25);
  return dayAt(year, month, (h + l - 7 * m + 33 * month + 19) % 32);
}

function firstMonday(from: Date): Date {
  return plusDays(from, (monday - from.getUTCDay() + 7) % 7);
}

function lastMonday(upto: Date): Date {
  return plusDays(upto, -((upto.getUTCDay() - monday + 7) % 7));
}

/** A holiday that falls on a weekend is kept on the next working day that is none already. */
function kept(day: Date, taken: readonly Date[]): Date {
  const isTaken = taken.some((other) => other.getTime() === day.getTime());
  return isWeekend(day) || isTaken ? kept(plusDays(day, 1), taken) : day;
}

function bankHolidays(year: number): Date[] {
  const easter = easterSunday(year);
  const [christmas, boxingDay] = [dayAt(year, 12, 25), dayAt(year, 12, 26)];
  // Where one of the two falls on a weekend, the other keeps its own day, and it the next one.
  const fixed = [christmas, boxingDay].filter((day) => !isWeekend(day));
  const moved = [christmas, boxingDay].filter(isWeekend);
  for (const day of moved) fixed.push(kept(day, fixed));
  return [
    kept(dayAt(year, 1, 1), []),
    plusDays(easter, -2),
    plusDays(easter, 1),
    firstMonday(dayAt(year, 5, 1)),
    lastMonday(dayAt(year, 5, 31)),
    lastMonday(dayAt(year, 8, 31)),
    ...fixed,
  ];
}

/** By the clocks of London. */
export function isWorkingDay(instant: Date): boolean {
  const day = new Date(`${dayOf(instant)}T00:00:00Z`);
  if (isWeekend(day)) return false;
  return bankHolidays(day.getUTCFullYear()).every((holiday) => holiday.getTime() !== day.getTime());
}
