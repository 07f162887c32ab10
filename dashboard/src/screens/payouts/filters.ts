// Filters live in the address, so that a view can be shared.
import type { PayoutFilters, PayoutStatus } from '@kelpie/sdk';
import { isPayoutStatus } from '../../format/payout-labels.ts';
import { startOfDay, startOfToday } from '../../format/time.ts';

type Period = 'any' | 'today' | '7d' | '30d' | '90d' | 'dates';

export interface PayoutView {
  statuses: PayoutStatus[];
  period: Period;
  /** For custom dates, as 2026-11-15: the first and the last London day. Empty for an open end. */
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

/** An existing date from 2000 to 2100. Empty for anything else, such as 31 February or a half-typed year. */
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

interface Span {
  since: Date | undefined;
  before: Date | undefined;
}

/** Whole London days, so that pages keep their place for a day. */
function spanOf({ period, from, to }: PayoutView, now: Date): Span {
  if (period === 'any') return { since: undefined, before: undefined };
  if (period === 'dates') return { since: startOfDay(from), before: startOfDay(to, 1) };
  return { since: startOfToday(now, period === 'today' ? 0 : daysOf[period]), before: undefined };
}

/** The export has the filters of the list, and all its pages. */
export function exportAddress(
  { limit: _limit, cursor: _cursor, ...filters }: PayoutFilters,
  environment: string,
): string {
  const named = Object.entries(filters).map(([name, value]): [string, string] => [name, String(value)]);
  return `/v1/payouts.csv?${new URLSearchParams([['environment', environment], ...named]).toString()}`;
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
    // `created_after` is exclusive, and a payout at midnight belongs to the day.
    ...(since === undefined ? {} : { created_after: new Date(since.getTime() - 1).toISOString() }),
    ...(before === undefined ? {} : { created_before: before.toISOString() }),
    ...(via === 'any' ? {} : { created_via: via }),
    ...(wanted === '' ? {} : /^\d{4}$/.test(wanted) ? { account_last4: wanted } : { reference: wanted }),
  };
}
