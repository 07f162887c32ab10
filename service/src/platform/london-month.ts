/** A calendar month by the clocks of London, as 2026-11: what an invoice is for. */
export type Month = string;

const monthForm = /^(\d{4})-(0[1-9]|1[0-2])$/;

const inLondon = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/London', year: 'numeric', month: '2-digit' });

/** A month that is written so, or undefined. */
export function parseMonth(text: string): Month | undefined {
  return monthForm.test(text) ? text : undefined;
}

export function monthOf(instant: Date): Month {
  const fields = inLondon.formatToParts(instant);
  const part = (type: 'year' | 'month'): string => fields.find((one) => one.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}`;
}

function shifted(month: Month, by: number): Month {
  const [, year = '', number = ''] = monthForm.exec(month) ?? [];
  const months = Number(year) * 12 + Number(number) - 1 + by;
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`;
}

export function monthAfter(month: Month): Month {
  return shifted(month, 1);
}

export function monthBefore(month: Month, by = 1): Month {
  return shifted(month, -by);
}

const hourMs = 60 * 60_000;

/** Its first instant. London is at most an hour ahead of UTC, and never changes its clocks on the first of a month. */
export function monthStart(month: Month): Date {
  const midnightUtc = new Date(`${month}-01T00:00:00Z`);
  const hourBefore = new Date(midnightUtc.getTime() - hourMs);
  return monthOf(hourBefore) === month ? hourBefore : midnightUtc;
}

/** Where it ends and the next one begins. */
export function monthEnd(month: Month): Date {
  return monthStart(monthAfter(month));
}
