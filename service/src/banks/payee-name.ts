import { carriedText } from './carried-text.ts';

/** Faster Payments carries this many characters of a payee's name. */
const longestPayeeName = 35;

/** A name that is too long is cut at the end of a word, where there is one; the payout itself keeps it whole. */
export function payeeName(name: string): string {
  const whole = Array.from(carriedText(name, Infinity));
  if (whole.length <= longestPayeeName) return whole.join('');
  const lastSpace = whole.lastIndexOf(' ', longestPayeeName);
  return whole.slice(0, lastSpace > 0 ? lastSpace : longestPayeeName).join('');
}
