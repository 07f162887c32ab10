import { microPerCent } from './money.ts';

/** Pounds for a dollar, in ten-thousandths. */
const ratesTenThousandths = { buy: 7_900n, midmarket: 7_950n, sell: 8_000n };

const fixedFeePence = 50n;
/** 0.50% in thousandths. */
const feeThousandths = 5n;

/** The bank buys a customer's dollars, so the lower rate is the one that counts. */
function centsFor(pence: bigint): bigint {
  const rate = ratesTenThousandths.buy;
  return (pence * 10_000n + rate - 1n) / rate;
}

export interface Price {
  /** What leaves the wallet: amount and fee at the rate, rounded up to a cent. */
  takenMicroUsdc: bigint;
  exchangeFeeMicroUsdc: bigint;
}

export function priceTransfer(amountPence: bigint): Price {
  const feePence = fixedFeePence + (amountPence * feeThousandths + 500n) / 1_000n;
  return {
    takenMicroUsdc: centsFor(amountPence + feePence) * microPerCent,
    exchangeFeeMicroUsdc: centsFor(feePence) * microPerCent,
  };
}

/** 0.25% of what a bank transfer becomes, in ten-thousandths. */
const depositFeeTenThousandths = 25n;

export interface DepositPrice {
  netMicroUsdc: bigint;
  feeMicroUsdc: bigint;
}

/** The bank sells dollars here, so the higher rate is the one that counts; a part of a cent is the bank's. */
export function priceBankTransfer(sentPence: bigint): DepositPrice {
  const grossCents = (sentPence * 10_000n) / ratesTenThousandths.sell;
  const feeCents = (grossCents * depositFeeTenThousandths + 5_000n) / 10_000n;
  return { netMicroUsdc: (grossCents - feeCents) * microPerCent, feeMicroUsdc: feeCents * microPerCent };
}

/** What it costs to move tokens on from the address to the wallet: a cent. */
export function priceTokens(sentMicroUsdc: bigint): DepositPrice {
  return { netMicroUsdc: sentMicroUsdc - microPerCent, feeMicroUsdc: microPerCent };
}

function formatRate(tenThousandths: bigint): string {
  return `${tenThousandths / 10_000n}.${String(tenThousandths % 10_000n).padStart(4, '0')}`;
}

export const exchangeRates = {
  midmarket_rate: formatRate(ratesTenThousandths.midmarket),
  buy_rate: formatRate(ratesTenThousandths.buy),
  sell_rate: formatRate(ratesTenThousandths.sell),
};
