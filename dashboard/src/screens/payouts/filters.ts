// Filters live in the address, so that a view can be shared.
import type { PayoutFilters, PayoutStatus } from '@kelpie/sdk';
import { isPayoutStatus } from '../../format/payout-labels.ts';

type Period = 'any' | 'today' | '7d' | '30d' | '90d' | 'dates';

export interface PayoutView {
  statuses: PayoutStatus[];
  period: Period;
  /** For chosen dates, as 2026-11-15: the first and the last day by the clock of whoever looks; empty for no end. */
  from: string;
  to: string;
  via: 'any' | 'api' | 'dashboard';
  search: string;
  cursor: string | undefined;
}

export const pageSize = 50;
const daysOf: Readonly<Record<Exclude<Period, 'any' | 'today' | 'dates'>, number>> = { '7d': 7, '30d': 30, '90d': 90 };
const periods: readonly Period[] = ['any', 'today', '7d', '30d', '90d', 'dates'];

const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/;

/** A day that there is, of a year in which somebody may have paid; empty for anything else: 31 February, or a year half typed. */
export function dateIn(text: string | null): string {
  const [, year] = dateForm.exec(text ?? '') ?? [];
  if (text === null || year === undefined || Number(year) < 2000 || Number(year) > 2100) return '';
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : '';
}

export function viewFrom(search: URLSearchParams): PayoutView {
  const via = search.get('via');
  return {
    statuses: (search.get('status') ?? '').split(',').filter(isPayoutStatus),
    period: periods.find((period) => period === search.get('period')) ?? 'any',
    from: dateIn(search.get('from')),
    to: dateIn(search.get('to')),
    via: via === 'api' || via === 'dashboard' ? via : 'any',
    search: search.get('search') ?? '',
    cursor: search.get('cursor') ?? undefined,
  };
}

/** What is as usual is left out of the address. */
export function searchOf({ statuses, period, from, to, via, search, cursor }: PayoutView): URLSearchParams {
  const isDates = period === 'dates';
  return new URLSearchParams({
    ...(statuses.length === 0 ? {} : { status: statuses.join(',') }),
    ...(period === 'any' ? {} : { period }),
    ...(isDates && from !== '' ? { from } : {}),
    ...(isDates && to !== '' ? { to } : {}),
    ...(via === 'any' ? {} : { via }),
    ...(search === '' ? {} : { search }),
    ...(cursor === undefined ? {} : { cursor }),
  });
}

export function isNarrowed({ statuses, period, via, search }: PayoutView): boolean {
  return statuses.length > 0 || period !== 'any' || via !== 'any' || search !== '';
}

const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A search for the id of a payout is answered by that payout's own page. */
export function payoutIdIn(search: string): string | undefined {
  return idForm.test(search.trim()) ? search.trim().toLowerCase() : undefined;
}

/** The start of a local day, or of one that many days later: a day is not always 24 hours long. */
function startOf(date: string, daysLater = 0): Date | undefined {
  const [, year, month, day] = dateForm.exec(date) ?? [];
  return year === undefined ? undefined : new Date(Number(year), Number(month) - 1, Number(day) + daysLater);
}

interface Span {
  since: Date | undefined;
  before: Date | undefined;
}

/** The same for a whole day, so that pages keep their place. */
function spanOf({ period, from, to }: PayoutView, now: Date): Span {
  if (period === 'any') return { since: undefined, before: undefined };
  if (period === 'dates') return { since: startOf(from), before: startOf(to, 1) };
  const daysBack = period === 'today' ? 0 : daysOf[period];
  return { since: new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack), before: undefined };
}

/** Four digits are the end of an account; anything else is a reference. */
export function filtersOf(view: PayoutView, now: Date): PayoutFilters {
  const { statuses, via, search, cursor } = view;
  const { since, before } = spanOf(view, now);
  const wanted = search.trim();
  return {
    limit: pageSize,
    ...(cursor === undefined ? {} : { cursor }),
    ...(statuses.length === 0 ? {} : { status: statuses }),
    // The API leaves out what was made at that very instant, and the first of a day is of that day.
    ...(since === undefined ? {} : { created_after: new Date(since.getTime() - 1).toISOString() }),
    ...(before === undefined ? {} : { created_before: before.toISOString() }),
    ...(via === 'any' ? {} : { created_via: via }),
    ...(wanted === '' ? {} : /^\d{4}$/.test(wanted) ? { account_last4: wanted } : { reference: wanted }),
  };
}
