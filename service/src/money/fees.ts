import type { MicroGbp, MicroUsdc, Pence } from './amounts.ts';
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
  providerFee: Price;
}

/** 0.99 GBP + 1.00%, of which 0.50 GBP + 0.50% is the bank's. */
export const standardPayoutPrices: PayoutPrices = {
  total: { fixedPence: 99n, basisPoints: 100n },
  providerFee: { fixedPence: 50n, basisPoints: 50n },
};

export interface PayoutCost {
  fee: Pence;
  /** Taken in the transfer: the wallet sends it besides the recipient's amount. */
  providerFee: Pence;
  /** On the monthly invoice: what is left of the fee, so that the two always sum to it. */
  invoiceShare: Pence;
  walletDebit: MicroUsdc;
}

const basisPointsInWhole = 10_000n;

function priceOf(amount: Pence, { fixedPence, basisPoints }: Price): Pence {
  return fixedPence + divideHalfUp(amount * basisPoints, basisPointsInWhole);
}

/** The fee, and the bank's share of it. */
export function payoutFee(amount: Pence, prices: PayoutPrices): Pick<PayoutCost, 'fee' | 'providerFee'> {
  const fee = priceOf(amount, prices.total);
  const providerFee = priceOf(amount, prices.providerFee);
  if (providerFee > fee) throw new Error("the bank's share is more than the whole fee: the price plan is wrong");
  return { fee, providerFee };
}

export function payoutCost(amount: Pence, rate: GbpPerUsd, prices: PayoutPrices): PayoutCost {
  const { fee, providerFee } = payoutFee(amount, prices);
  return { fee, providerFee, invoiceShare: fee - providerFee, walletDebit: usdcForPounds(amount + providerFee, rate) };
}

/** What we add to what others charge us, in hundredths of a per cent. */
export interface Markups {
  networkBasisPoints: bigint;
  exceptionBasisPoints: bigint;
}

/** Network fees at cost plus 10%, bank exceptions at cost plus 20%. */
export const standardMarkups: Markups = { networkBasisPoints: 1_000n, exceptionBasisPoints: 2_000n };

const millionths = 1_000_000n;
export const microGbpPerPenny = 10_000n;

/** What a network fee in USDC is charged at, rounded to a millionth of a pound. */
export function networkCharge(cost: MicroUsdc, rate: GbpPerUsd, { networkBasisPoints }: Markups): MicroGbp {
  return divideHalfUp(cost * rate * (basisPointsInWhole + networkBasisPoints), millionths * basisPointsInWhole);
}

/** What is charged for an exception that the bank billed in USDC, rounded to the penny. */
export function exceptionCharge(cost: MicroUsdc, rate: GbpPerUsd, { exceptionBasisPoints }: Markups): Pence {
  const markedUp = cost * rate * (basisPointsInWhole + exceptionBasisPoints);
  return divideHalfUp(markedUp, millionths * basisPointsInWhole * microGbpPerPenny);
}

/** The same of one that it billed in pounds. */
export function exceptionChargeInPounds(cost: Pence, { exceptionBasisPoints }: Markups): Pence {
  return divideHalfUp(cost * (basisPointsInWhole + exceptionBasisPoints), basisPointsInWhole);
}

/** The sum of many fractions of a penny, rounded once. */
export function wholePence(sum: MicroGbp): Pence {
  return divideHalfUp(sum, microGbpPerPenny);
}

/**
 * What of the bank's share did not come back with a payout that was returned. Whatever else is missing is the recipient's
 * amount, which we never had.
 */
export function unreturnedShare(amounts: {
  walletDebit: MicroUsdc;
  refund: MicroUsdc;
  rate: GbpPerUsd;
  providerFee: Pence;
}): Pence {
  const { walletDebit, refund, rate, providerFee } = amounts;
  if (refund >= walletDebit) return 0n;
  const missing = divideHalfUp((walletDebit - refund) * rate, millionths * microGbpPerPenny);
  return missing < providerFee ? missing : providerFee;
}
