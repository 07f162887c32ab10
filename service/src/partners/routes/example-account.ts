import { exampleValues } from '../../http/schema/example-values.ts';
import { standardMarkups, standardPayoutPrices } from '../../money/fees.ts';
import type { Account } from '../account.ts';

/** The account that the reference shows. */
export const exampleAccount: Account = {
  partnerId: exampleValues.partnerId,
  environment: 'sandbox',
  name: exampleValues.business,
  status: 'active',
  closedAt: null,
  rail: 'provider_sandbox',
  payoutPrice: standardPayoutPrices.total,
  monthlyPrice: 15_00n,
  verificationPrice: 39_00n,
  markups: standardMarkups,
  billingEmail: 'billing@harbourgoods.example',
  contactEmail: exampleValues.adminEmail,
  isBillingConfirmed: true,
  isContactConfirmed: true,
  logoUrl: 'https://harbourgoods.example/logo.svg',
  brandColor: '#0f6e6e',
  walletLow: 500_000_000n,
  fundingAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
  verification: { status: 'approved', providerStatus: 'active', continueUrl: null, termsUrl: null },
  screening: 'clear',
  isFrozen: false,
};
