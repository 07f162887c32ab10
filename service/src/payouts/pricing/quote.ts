import type { Pence } from '../../money/amounts.ts';
import { payoutCost, type PayoutCost } from '../../money/fees.ts';
import type { GbpPerUsd } from '../../money/rates.ts';
import type { PartnerEnvironments } from '../../partners/index.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import { amountProblem } from './limits.ts';
import { rateAgesMs, type Rates } from './rates.ts';

export interface Quote {
  amount: Pence;
  rate: GbpPerUsd;
  cost: PayoutCost;
}

/** What a payout of this amount would cost now. It binds nobody. */
export async function quotePayout(
  { partnerEnvironments, rates }: { partnerEnvironments: PartnerEnvironments; rates: Rates },
  caller: PartnerContext,
  amount: Pence,
): Promise<Quote> {
  const { rail, prices } = await partnerEnvironments.get(caller);
  const problem = amountProblem(amount, rail);
  if (problem !== undefined) throw new ApiError(problem);
  const rate = await rates.find(rail, rateAgesMs.quote);
  if (rate === null) {
    throw new ApiError({
      code: 'rate_unavailable',
      message: 'We have no current exchange rate from the bank. Retry in a minute.',
    });
  }
  return { amount, rate, cost: payoutCost(amount, rate, prices) };
}
