import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useEnvironment } from './environment.ts';

/** Whom to pay again: the name is known, the whole account is not kept where a browser could read it. */
export interface PayAgain {
  name: string;
  accountLast4: string;
}

/**
 * Says who is to be paid on the next page. In memory alone, and dropped with all else that a session has seen: a browser
 * writes its history down, and shows it to whoever comes next.
 */
export function useOfferPayAgain(): (again: PayAgain) => void {
  const client = useQueryClient();
  const environment = useEnvironment();
  return (again) => void client.setQueryData([environment, 'pay-again'], again);
}

/** Who that is, once: a payout that is begun later is to nobody yet. */
export function useTakenPayAgain(): PayAgain | undefined {
  const client = useQueryClient();
  const environment = useEnvironment();
  const [again] = useState(() => client.getQueryData<PayAgain>([environment, 'pay-again']));
  useEffect(() => client.removeQueries({ queryKey: [environment, 'pay-again'] }), [client, environment]);
  return again;
}
