import type { Limits, UpdateLimitsRequest } from '@kelpie/sdk';
import { amountFrom, formatPounds, penceOf } from '../../format/money.ts';

/** Empty where there is no limit. */
export interface LimitsDraft {
  daily: string;
  newPayee: string;
}

export function limitsDraft({ daily, new_payee: newPayee }: Limits): LimitsDraft {
  return { daily: daily.limit_gbp ?? '', newPayee: newPayee.limit_gbp ?? '' };
}

export type LimitsMistakes = Partial<Record<keyof LimitsDraft, string>>;

/** One payout of the largest amount always fits. */
export const lowestLimit = '20000.00';

function mistakeIn(
  typed: string,
  { environment, highest_daily_limit_gbp: highest }: Pick<Limits, 'environment' | 'highest_daily_limit_gbp'>,
): string | undefined {
  if (typed.trim() === '') return environment === 'live' ? 'Enter an amount. Live always has a limit.' : undefined;
  const amount = amountFrom(typed);
  if (amount === undefined) return 'Enter an amount in pounds, such as 30000.00.';
  if (penceOf(amount) < penceOf(lowestLimit)) return `Minimum ${formatPounds(lowestLimit)}.`;
  if (highest !== null && penceOf(amount) > penceOf(highest)) return `Maximum ${formatPounds(highest)}.`;
  return undefined;
}

export function limitsMistakes(draft: LimitsDraft, limits: Limits): LimitsMistakes {
  const daily = mistakeIn(draft.daily, limits);
  const newPayee = mistakeIn(draft.newPayee, limits);
  return { ...(daily === undefined ? {} : { daily }), ...(newPayee === undefined ? {} : { newPayee }) };
}

/** Only what changes, because another admin may have changed the other meanwhile. */
export function limitsChange(draft: LimitsDraft, saved: Limits): UpdateLimitsRequest {
  const before = limitsDraft(saved);
  const daily = amountFrom(draft.daily) ?? '';
  const newPayee = amountFrom(draft.newPayee) ?? '';
  return {
    ...(daily === before.daily ? {} : { daily_limit_gbp: daily === '' ? null : daily }),
    ...(newPayee === before.newPayee ? {} : { new_payee_limit_gbp: newPayee === '' ? null : newPayee }),
  };
}

function limitText(what: string, amount: string | null | undefined): string[] {
  if (amount === undefined) return [];
  return [amount === null ? `no ${what}` : `a ${what} of ${formatPounds(amount)}`];
}

/** Completes "It confirms". */
export function limitsText({ daily_limit_gbp: daily, new_payee_limit_gbp: newPayee }: UpdateLimitsRequest): string {
  return [...limitText('daily limit', daily), ...limitText('daily limit for new recipients', newPayee)].join(' and ');
}
