import type { PayoutPrices } from '../money/fees.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';

/** What carries a payout: a bank's production, its sandbox, or a simulation. */
export type Rail = 'simulated' | 'provider_sandbox' | 'provider_production';

/**
 * Why no payout may be created or sent again: for a reason of the partner's own, or of the whole rail. The rule is the
 * database's (`kelpie.payment_block`).
 */
export type PaymentBlock = 'partner_not_active' | 'rail_paused' | 'recovery';

/** A partner in one of its environments. */
export interface PartnerEnvironment extends PartnerContext {
  status: 'onboarding' | 'active' | 'suspended' | 'closed';
  rail: Rail;
  /** The partner at the bank, and its wallet there. Empty on the simulated rail, which has neither. */
  bankCustomerId: string;
  bankWalletId: string;
  pricePlan: string;
  prices: PayoutPrices;
}

/** Whether the partner may use this environment at all. One that only may not pay for now still reads everything. */
export function isActive({ status, environment }: PartnerEnvironment): boolean {
  return status === 'active' || (status === 'onboarding' && environment === 'sandbox');
}
