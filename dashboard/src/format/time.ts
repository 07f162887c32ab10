// Every time on screen is London time: banking days, statements and invoices are. The shell says so once.
const zone = 'Europe/London';
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: zone });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: zone });
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone });
const second = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: zone,
});
const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
/** As 2026-11-15. */
const isoDay = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: zone });

/** The date in London, as 2026-11-15. */
function londonDate(at: Date): string {
  return isoDay.format(at);
}

export function formatDate(at: Date): string {
  const isThisYear = londonDate(at).slice(0, 4) === londonDate(new Date()).slice(0, 4);
  return isThisYear ? day.format(at) : dayOfYear.format(at);
}

export function formatTimestamp(at: Date): string {
  return `${formatDate(at)}, ${time.format(at)}`;
}

export function formatSecond(at: Date): string {
  return `${formatDate(at)}, ${second.format(at)}`;
}

export function formatUtc(at: Date): string {
  return `${utc.format(at)} UTC`;
}

/** Of a month as 2026-11. */
export function formatMonth(period: string): string {
  const at = new Date(`${period.slice(0, 7)}-01T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? period : month.format(at);
}

/** Of a London date as 2026-11-15. */
export function formatPlainDate(date: string): string {
  // Noon UTC is the same date in London all year.
  const at = new Date(`${date}T12:00:00Z`);
  return Number.isNaN(at.getTime()) ? date : formatDate(at);
}

/** The months up to now, the newest first, as 2026-11. */
export function monthsUpTo(now: Date, count: number): string[] {
  const [year = 0, monthOfYear = 1] = londonDate(now).split('-').map(Number);
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(year, monthOfYear - 1 - back, 1)).toISOString().slice(0, 7),
  );
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone: zone });

/** The first instant of a London date, or of one so many days later. Undefined for what is no date. */
export function startOfDay(date: string, daysLater = 0): Date | undefined {
  const [year = 0, monthOfYear = 0, dayOfMonth = 0] = date.split('-').map(Number);
  const midnight = new Date(Date.UTC(year, monthOfYear - 1, dayOfMonth + daysLater));
  if (date === '' || Number.isNaN(midnight.getTime())) return undefined;
  // London changes its clocks at 01:00 UTC, so at midnight UTC it is already on the time that its own midnight had.
  const hoursAhead = Number(clock.format(midnight));
  return new Date(midnight.getTime() - hoursAhead * 3_600_000);
}

/** The first instant of today in London, or of a day so many days ago. */
export function startOfToday(now: Date, daysAgo = 0): Date {
  return startOfDay(londonDate(now), -daysAgo) ?? now;
}
