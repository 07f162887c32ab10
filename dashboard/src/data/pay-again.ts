import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useEnvironment } from './environment.ts';

/** The payout to repeat. The API never returns a whole account number, so that has to be typed again. */
export interface PayAgain {
  name: string;
  accountLast4: string;
  amount: string;
  reference: string;
}

/** Passes the payout to the next page in memory only: browsers keep addresses and history on disk. */
export function useOfferPayAgain(): (again: PayAgain) => void {
  const client = useQueryClient();
  const environment = useEnvironment();
  return (again) => void client.setQueryData([environment, 'pay-again'], again);
}

/** The payout to repeat, once: a form opened later starts empty. */
export function useTakenPayAgain(): PayAgain | undefined {
  const client = useQueryClient();
  const environment = useEnvironment();
  const [again] = useState(() => client.getQueryData<PayAgain>([environment, 'pay-again']));
  useEffect(() => client.removeQueries({ queryKey: [environment, 'pay-again'] }), [client, environment]);
  return again;
}
