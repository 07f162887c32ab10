/** Banks refuse control characters and line breaks; a caller may send them. */
const notCarried = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;

/** A text as a bank takes it: on one line, and not longer than it may be there. Characters are never cut in half. */
export function carriedText(text: string, longest: number): string {
  const whole = text.replaceAll(notCarried, ' ').trim();
  return whole.length <= longest ? whole : Array.from(whole).slice(0, longest).join('').trim();
}
