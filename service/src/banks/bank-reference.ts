/** What Faster Payments carries, and how much of it. */
const notCarried = /[^A-Za-z0-9 /\-?:().,'+#=!"%&*<>;{@]+/g;
const longest = 18;

/**
 * What the recipient will see beside the payment. Letters lose their accents, whatever can't be carried becomes a space, and
 * what is too long is cut. Undefined where nothing is left to be seen.
 */
export function bankReference(reference: string): string | undefined {
  const carried = reference.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll(notCarried, ' ');
  const text = carried.replaceAll(/ +/g, ' ').trim().slice(0, longest).trim();
  return text === '' ? undefined : text;
}
