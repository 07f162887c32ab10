import type { PayoutPrices } from '../money/fees.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';

/** What carries a payout: a bank's production, its sandbox, or a simulation. */
export type Rail = 'simulated' | 'provider_sandbox' | 'provider_production';

/** A partner in one of its environments. */
export interface PartnerSide extends PartnerContext {
  status: 'onboarding' | 'active' | 'suspended' | 'closed';
  rail: Rail;
  /** The partner at the bank, and its wallet there. Empty on the simulated rail, which has neither. */
  bankCustomerId: string;
  bankWalletId: string;
  pricePlan: string;
  prices: PayoutPrices;
}

/** A partner that is still being verified already has its sandbox. */
export function isActive({ status, environment }: PartnerSide): boolean {
  return status === 'active' || (status === 'onboarding' && environment === 'sandbox');
}
