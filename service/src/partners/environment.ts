import type { PayoutPrices } from '../money/fees.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';

/** What carries a payout: a bank's production, its sandbox, or a simulation. */
export type Rail = 'simulated' | 'provider_sandbox' | 'provider_production';

/** A partner in one of its environments. */
export interface PartnerEnvironment extends PartnerContext {
  status: 'onboarding' | 'active' | 'suspended' | 'closed';
  rail: Rail;
  /** The partner at the bank, and its wallet there. Empty on the simulated rail, which has neither. */
  bankCustomerId: string;
  bankWalletId: string;
  pricePlan: string;
  /** Why it may not pay; null where it may. The rule is the database's (`kelpie.payment_block`). */
  paymentBlock: 'partner_not_active' | 'rail_paused' | null;
  prices: PayoutPrices;
}
