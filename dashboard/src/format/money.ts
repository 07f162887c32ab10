// Amounts are texts from the API to the screen: no float touches them.
const pounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' });
const wholePounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP', maximumFractionDigits: 0 });
const plain = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const exactPounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP', maximumFractionDigits: 6 });
const exactUsdc = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const counted = new Intl.NumberFormat('en-GB');

function isDecimal(text: string): text is `${number}` {
  return /^\d+\.\d{2}$/.test(text);
}

/** As £1,234.50. Anything else than an amount is returned unchanged. */
export function formatPounds(amount: string): string {
  return isDecimal(amount) ? pounds.format(amount) : amount;
}

export function formatUsdc(amount: string): string {
  return `${isDecimal(amount) ? plain.format(amount) : amount} USDC`;
}

/** Without the currency, where the page shows that beside it. */
export function formatPlain(amount: string): string {
  return isDecimal(amount) ? plain.format(amount) : amount;
}

function isExact(text: string): text is `${number}` {
  return /^-?\d+\.\d{2}(\d{4})?$/.test(text);
}

/** Millionths of a pound, to the sixth decimal where there is one: a network fee is a part of a penny. */
export function formatMicroPounds(amount: number): string {
  return exactPounds.format(amount / 1_000_000);
}

/** USDC as the ledger has it, to the sixth decimal where there is one. */
export function formatExactUsdc(amount: string): string {
  return isExact(amount) ? exactUsdc.format(amount).replace('-', '−') : amount;
}

/** The same with its sign, also for money in. */
export function formatMovement(amount: string): string {
  return amount.startsWith('-') ? formatExactUsdc(amount) : `+${formatExactUsdc(amount)}`;
}

/** As "1 USDC = £0.79": pounds for one USDC, to the sixth decimal where there is one. */
export function formatRate(gbpPerUsd: number): string {
  return `1 USDC = ${exactPounds.format(gbpPerUsd)}`;
}

export function formatCount(count: number): string {
  return counted.format(count);
}

/** For the scale of a chart, which needs numbers anyway. */
export function formatWholePounds(amount: number): string {
  return wholePounds.format(amount);
}

export function penceOf(amount: string): bigint {
  return isDecimal(amount) ? BigInt(amount.replace('.', '')) : 0n;
}

/** In the API's form: 12345 pence are 123.45. */
export function amountOf(pence: bigint): string {
  return `${pence / 100n}.${String(pence % 100n).padStart(2, '0')}`;
}

/** A typed amount in the API's form: "1,234.5" is 1234.50. Undefined for anything else. */
export function amountFrom(typed: string): string | undefined {
  const [, whole = '', fraction = ''] = /^£?\s*(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.(\d{1,2}))?$/.exec(typed.trim()) ?? [];
  if (whole === '') return undefined;
  return `${whole.replaceAll(',', '').replace(/^0+(?=\d)/, '')}.${fraction.padEnd(2, '0')}`;
}
