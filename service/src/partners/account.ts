import type { MicroUsdc, Pence } from '../money/amounts.ts';
import type { Markups, PayoutPrices } from '../money/fees.ts';
import type { PartnerContext } from '../platform/database/transaction.ts';
import type { PartnerEnvironment, Rail } from './environment.ts';

/** A partner in one of its environments, as it is told to the partner itself. */
export interface Account extends PartnerContext {
  name: string;
  status: PartnerEnvironment['status'];
  /** Null while it is open. */
  closedAt: Date | null;
  rail: Rail;
  payoutPrice: PayoutPrices['total'];
  monthlyPrice: Pence;
  verificationPrice: Pence;
  /** What is added to what a network fee, or a bank's charge for a return or the like, costs us. */
  markups: Markups;
  billingEmail: string | null;
  contactEmail: string | null;
  /** Whether somebody opened the link that was sent there. Nothing else goes there before. */
  isBillingConfirmed: boolean;
  isContactConfirmed: boolean;
  logoUrl: string | null;
  brandColor: string | null;
  /** Below this the partner wants to be told; null where it does not. */
  walletLow: MicroUsdc | null;
  /** Where USDC is sent to top up the wallet; null where that can't be done yet. */
  fundingAddress: string | null;
  verification: {
    status: string;
    providerStatus: string | null;
    continueUrl: string | null;
    termsUrl: string | null;
  };
  screening: string;
  /** Whether its payouts are stopped until an operator allows them again. */
  isFrozen: boolean;
}

export const enabledCountries = ['GB'];

/** What anybody may know of a partner. */
export interface PublicPartner {
  slug: string;
  name: string;
  logoUrl: string | null;
  brandColor: string | null;
}
