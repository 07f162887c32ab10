/** Faster Payments carries this many characters of a payee's name. */
const longestPayeeName = 35;

/** A name that is too long is cut at the end of a word, where there is one; the payout itself keeps it whole. */
export function payeeName(name: string): string {
  const whole = name.trim().replaceAll(/\s+/g, ' ');
  if (whole.length <= longestPayeeName) return whole;
  const cut = whole.slice(0, longestPayeeName + 1);
  const lastSpace = cut.lastIndexOf(' ');
  return (lastSpace > 0 ? cut.slice(0, lastSpace) : whole.slice(0, longestPayeeName)).trim();
}
