// Times in the zone of whoever looks, and in UTC for whoever has to agree with somebody elsewhere.
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const second = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const utc = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
});
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const plainDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function isThisYear(at: Date): boolean {
  return at.getFullYear() === new Date().getFullYear();
}

export function formatDate(at: Date): string {
  return isThisYear(at) ? day.format(at) : dayOfYear.format(at);
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

/** Of a date as 2026-11-15, which is the same day wherever one is. */
export function formatPlainDate(date: string): string {
  const at = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(at.getTime()) ? date : plainDay.format(at);
}

const londonMonth = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', timeZone: 'Europe/London' });

/** The months up to now by the clocks of London, the newest first, as 2026-11. */
export function monthsUpTo(now: Date, count: number): string[] {
  const [year = 0, monthOfYear = 1] = londonMonth.format(now).split('-').map(Number);
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(year, monthOfYear - 1 - back, 1)).toISOString().slice(0, 7),
  );
}
