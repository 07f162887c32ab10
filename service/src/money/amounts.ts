/** Pounds are held in pence, USDC in micro-units (six decimals, as on chain). No float touches either. */
export type Pence = bigint;
export type MicroUsdc = bigint;
/** Millionths of a pound, for what is less than a penny. */
export type MicroGbp = bigint;

export const microUsdcPerCent = 10_000n;

/** As in "12.34": what the API takes and gives. */
const moneyForm = /^\d+\.\d{2}$/;

/** More digits than any amount of ours has, leading zeros apart. */
const longestMoney = 20;
const leadingZeros = /^0+(?=\d)/;

function formatHundredths(hundredths: bigint): string {
  if (hundredths < 0n) throw new Error('an amount that is shown has no sign');
  const digits = hundredths.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Pence from "12.34", or undefined where the text has another form or too many digits. "007.00" is seven pounds. */
export function parsePounds(text: string): Pence | undefined {
  if (!moneyForm.test(text)) return undefined;
  const digits = text.replace(leadingZeros, '');
  return digits.length <= longestMoney ? BigInt(digits.replace('.', '')) : undefined;
}

export function formatPounds(amount: Pence): string {
  return formatHundredths(amount);
}

/** USDC to the cent, rounded down: money that is not there is never shown. */
export function formatUsdc(amount: MicroUsdc): string {
  return formatHundredths(wholeCents(amount));
}

/** USDC to the last digit that there is, with its sign: for what has to add up exactly. */
export function formatExactUsdc(amount: MicroUsdc): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(7, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/** How many whole cents there are in an amount that is not negative. */
export function wholeCents(amount: MicroUsdc): bigint {
  if (amount < 0n) throw new Error('a negative amount has no whole cents to be shown');
  return amount / microUsdcPerCent;
}

/** More than there is USDC in the world, and still within the database's numbers. */
const microUsdcForm = /^(\d{1,12})(?:\.(\d{1,6}))?$/;

/** Micro-units from "10000.00" or "0.123456", as a bank writes USDC; undefined where the text has another form. */
export function parseUsdc(text: string): MicroUsdc | undefined {
  const [, whole, fraction = ''] = microUsdcForm.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(6, '0'));
}
