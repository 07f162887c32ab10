import type { MicroUsdc, Pence } from './amounts.ts';
import { usdcForPounds, type GbpPerUsd } from './rates.ts';
import { divideHalfUp } from './rounding.ts';

/** A fixed part and a share of the amount, in hundredths of a per cent. */
interface Price {
  fixedPence: Pence;
  basisPoints: bigint;
}

/** What a payout costs, and how much of that is the bank's, taken inside the transfer. */
export interface PayoutPrices {
  total: Price;
  bankShare: Price;
}

/** 0.99 GBP + 1.00%, of which 0.50 GBP + 0.50% is the bank's. */
export const standardPayoutPrices: PayoutPrices = {
  total: { fixedPence: 99n, basisPoints: 100n },
  bankShare: { fixedPence: 50n, basisPoints: 50n },
};

export interface PayoutCost {
  fee: Pence;
  /** Taken in the transfer: the wallet sends it besides the recipient's amount. */
  bankShare: Pence;
  /** On the monthly invoice: what is left of the fee, so that the two always sum to it. */
  invoiceShare: Pence;
  walletSends: MicroUsdc;
}

const basisPointsInWhole = 10_000n;

function priceOf(amount: Pence, { fixedPence, basisPoints }: Price): Pence {
  return fixedPence + divideHalfUp(amount * basisPoints, basisPointsInWhole);
}

export function payoutCost(amount: Pence, rate: GbpPerUsd, prices: PayoutPrices): PayoutCost {
  const fee = priceOf(amount, prices.total);
  const bankShare = priceOf(amount, prices.bankShare);
  if (bankShare > fee) throw new Error("the bank's share is more than the whole fee: the price plan is wrong");
  return { fee, bankShare, invoiceShare: fee - bankShare, walletSends: usdcForPounds(amount + bankShare, rate) };
}
