import { getBalance } from '../../ledger/index.ts';
import type { MicroUsdc, Pence } from '../../money/amounts.ts';
import { poundsForUsdc, type GbpPerUsd } from '../../money/rates.ts';
import { isActive, type PartnerEnvironments } from '../../partners/index.ts';
import type { SingleCalls } from '../../platform/database/single-call.ts';
import type { PartnerContext } from '../../platform/database/transaction.ts';
import { ApiError } from '../../platform/api-error.ts';
import { rateAgesMs, type Rates } from '../pricing/rates.ts';

export interface Balance {
  usdc: MicroUsdc;
  gbp: Pence;
  rate: GbpPerUsd;
}

/** What the wallet holds, and about how many pounds that is. */
export async function readBalance(
  { calls, partnerEnvironments, rates }: { calls: SingleCalls; partnerEnvironments: PartnerEnvironments; rates: Rates },
  caller: PartnerContext,
): Promise<Balance> {
  const partnerEnvironment = await partnerEnvironments.get(caller);
  if (!isActive(partnerEnvironment))
    throw new ApiError({ code: 'partner_not_active', message: 'This account is not active.', contactSupport: true });
  const rate = await rates.find(partnerEnvironment.rail, rateAgesMs.balance);
  if (rate === null) {
    throw new ApiError({
      code: 'balance_unavailable',
      message: 'We have no current exchange rate from the bank. Retry in a minute.',
    });
  }
  const usdc = await getBalance(calls, caller);
  return { usdc, gbp: poundsForUsdc(usdc, rate), rate };
}
