// Amounts inside are bigint: pence, and millionths of a USDC. On the wire they are decimal texts. This file is the border.

const pencePerPound = 100n;
const microPerUsdc = 1_000_000n;
export const microPerCent = 10_000n;

/** "850.00" → 85000n; undefined for what is not an amount of whole pence. */
export function parsePounds(text: string): bigint | undefined {
  const [, pounds, pence = ''] = /^(\d{1,10})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  return pounds === undefined ? undefined : BigInt(pounds) * pencePerPound + BigInt(pence.padEnd(2, '0'));
}

/** "100.5" → 100500000n; undefined for what is not an amount of whole millionths. */
export function parseUsdc(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole) * microPerUsdc + BigInt(fraction.padEnd(6, '0'));
}

export function formatPounds(pence: bigint): string {
  return `${pence / pencePerPound}.${String(pence % pencePerPound).padStart(2, '0')}`;
}

/** Two decimals, and up to six where the amount has them: 1081970000n → "1081.97", 1n → "0.000001". */
export function formatUsdc(microUsdc: bigint): string {
  const sign = microUsdc < 0n ? '-' : '';
  const size = microUsdc < 0n ? -microUsdc : microUsdc;
  const decimals = String(size % microPerUsdc).padStart(6, '0');
  return `${sign}${size / microPerUsdc}.${decimals.replace(/0{1,4}$/, '')}`;
}
