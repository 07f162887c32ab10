// Previews the reference on the recipient's statement, by the same rule as the service.

/** What Faster Payments carries, and how much of it. */
const notCarried = /[^A-Za-z0-9 /\-?:().,'+#=!"%&*<>;{@]+/g;
const longest = 18;

/** Undefined where nothing is left to be seen: the service then chooses one. */
export function bankReference(reference: string): string | undefined {
  const carried = reference.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll(notCarried, ' ');
  const text = carried.replaceAll(/ +/g, ' ').trim().slice(0, longest).trim();
  return text === '' ? undefined : text;
}
