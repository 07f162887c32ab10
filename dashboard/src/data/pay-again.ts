import type { Payout, PayoutRecipient } from '@kelpie/sdk';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useEnvironment, useKelpie } from './environment.ts';

/** The payout to repeat. The API never returns a whole account number, so that has to be typed again. */
export interface PayAgain {
  /** Undefined where only the recipient is known: then it is their newest payout. */
  payoutId?: string;
  name: string;
  accountLast4: string;
}

/** What is copied from it. */
export interface CopiedPayout {
  payout: Pick<Payout, 'amount_gbp' | 'reference'>;
  recipient: PayoutRecipient;
}

const newestPayouts = 200;

/** Null where the payout can't be found. Pending until both are read: a form filled in later would overwrite what is typed. */
export function useCopiedPayout(again: PayAgain | undefined): UseQueryResult<CopiedPayout | null> {
  const kelpie = useKelpie();
  return useQuery({
    queryKey: [useEnvironment(), 'copied-payout', again?.payoutId, again?.name, again?.accountLast4],
    queryFn: async ({ signal }) => {
      if (again === undefined) return null;
      const { payoutId, name, accountLast4 } = again;
      const payout =
        payoutId === undefined
          ? (await kelpie.payouts.list({ account_last4: accountLast4, limit: newestPayouts }, { signal })).data.find(
              ({ recipient }) => recipient.name === name,
            )
          : await kelpie.payouts.get(payoutId, { signal });
      if (payout === undefined) return null;
      return { payout, recipient: await kelpie.payouts.getRecipient(payout.id, { signal }) };
    },
    enabled: again !== undefined,
    staleTime: Infinity,
  });
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
