import type { Quote } from '@kelpie/sdk';
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useEnvironment, useKelpie } from '../../data/environment.ts';
import { liveEvery } from '../../data/presence.ts';
import { penceOf } from '../../format/money.ts';
import type { Limits } from './order.ts';

const typingPauseMs = 250;

/** The value once it has not changed for a moment. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), typingPauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

function isWithin(amount: string, limits: Limits | undefined): boolean {
  const pence = penceOf(amount);
  return limits !== undefined && pence >= penceOf(limits.min) && pence <= penceOf(limits.max_per_payout);
}

export interface LiveQuote {
  asked: UseQueryResult<Quote>;
  /** What can be shown for what is typed: nothing where that is no amount that can be paid. */
  shown: Quote | undefined;
}

/** The cost of the typed amount at the current rate. */
export function useLiveQuote(amount: string | undefined, limits: Limits | undefined): LiveQuote {
  const kelpie = useKelpie();
  const environment = useEnvironment();
  const settled = useSettled(amount);
  const isAskable = settled !== undefined && isWithin(settled, limits);
  const asked = useQuery({
    queryKey: [environment, 'quote', settled],
    queryFn: async ({ signal }) => kelpie.quotes.create({ amount_gbp: settled ?? '' }, { signal }),
    enabled: isAskable,
    placeholderData: keepPreviousData,
    // Also during the review, so that its cost is current.
    refetchInterval: liveEvery(20_000),
    staleTime: 20_000,
  });
  return { asked, shown: isAskable ? asked.data : undefined };
}
