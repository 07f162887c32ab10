import type { Pence } from '../money/amounts.ts';
import type { Rail } from './environment.ts';

export interface PayoutLimits {
  smallest: Pence;
  largest: Pence;
}

const largest: Pence = 2_000_000n;

/** The provider refuses less than 3.00 in production; its sandbox has no minimum of its own. */
const limitsOf: Readonly<Record<Rail, PayoutLimits>> = {
  simulated: { smallest: 100n, largest },
  provider_sandbox: { smallest: 100n, largest },
  provider_production: { smallest: 300n, largest },
};

/** How much one payout can be on a rail. */
export function payoutLimits(rail: Rail): PayoutLimits {
  return limitsOf[rail];
}
