/** A day by the clocks of London, as 2026-11-16: what a daily limit is for. The database has the same as kelpie.london_day. */
export type Day = string;

const inLondon = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' });
const hourMs = 60 * 60_000;

export function dayOf(instant: Date): Day {
  return inLondon.format(instant);
}

/** By so many days earlier, or later where it is negative. Noon of a day is on the same date wherever the clocks change. */
export function dayBefore(day: Day, by = 1): Day {
  return dayOf(new Date(Date.parse(`${day}T12:00:00Z`) - by * 24 * hourMs));
}

/** Its first instant. London is at most an hour ahead of UTC, and changes its clocks after midnight. */
export function dayStart(day: Day): Date {
  const midnightUtc = new Date(`${day}T00:00:00Z`);
  const hourBefore = new Date(midnightUtc.getTime() - hourMs);
  return dayOf(hourBefore) === day ? hourBefore : midnightUtc;
}

/** When the day of this instant ends. */
export function endOfDay(instant: Date): Date {
  return dayStart(dayBefore(dayOf(instant), -1));
}
