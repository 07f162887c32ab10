import { formatPounds, formatUsdc, type MicroUsdc, type Pence } from './amounts.ts';

function grouped(text: string): string {
  return text.replaceAll(/\B(?=(\d{3})+\.)/g, ',');
}

/** As in "1,234.56 USDC". */
export function showUsdc(amount: MicroUsdc): string {
  return `${grouped(formatUsdc(amount))} USDC`;
}

/** As in "£12,345.00". */
export function showPounds(amount: Pence): string {
  return `£${grouped(formatPounds(amount))}`;
}
