import { microUsdcPerCent, wholeCents, type MicroUsdc, type Pence } from './amounts.ts';
import { divideDown, divideUp } from './rounding.ts';

/** Pounds for one dollar, in millionths: 790_000n is 0.79. */
export type GbpPerUsd = bigint;

const millionths = 1_000_000n;
const rateForm = /^(\d{1,6})(?:\.(\d{1,18}))?$/;

/** A rate from "0.79" or "0.7912345", truncated to six places; undefined where it is none, or zero. */
export function parseRate(text: string): GbpPerUsd | undefined {
  const [, whole, fraction = ''] = rateForm.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const rate = BigInt(whole) * millionths + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
  return rate === 0n ? undefined : rate;
}

/** Of the bank's two sides of the market, the one that gives fewer pounds: never promise more than will be paid. */
export function cautiousRate(partnerEnvironments: readonly [GbpPerUsd, GbpPerUsd]): GbpPerUsd {
  return partnerEnvironments[0] < partnerEnvironments[1] ? partnerEnvironments[0] : partnerEnvironments[1];
}

/** For JSON alone: six decimals fit a number exactly enough, and nothing is ever computed with it. */
export function rateAsNumber(rate: GbpPerUsd): number {
  return Number(`${rate / millionths}.${(rate % millionths).toString().padStart(6, '0')}`);
}

/** What the wallet sends so that these pounds arrive, rounded up to a cent. */
export function usdcForPounds(pounds: Pence, rate: GbpPerUsd): MicroUsdc {
  return divideUp(pounds * millionths, rate) * microUsdcPerCent;
}

/** The rate at which so many pounds cost so much: the other way round, for what has been paid. */
export function rateOfDebit(pounds: Pence, debit: MicroUsdc): GbpPerUsd {
  const rate = divideDown(pounds * millionths * microUsdcPerCent, debit);
  return rate === 0n ? 1n : rate;
}

/** What the USDC that is shown is worth, rounded down. */
export function poundsForUsdc(amount: MicroUsdc, rate: GbpPerUsd): Pence {
  return divideDown(wholeCents(amount) * rate, millionths);
}
