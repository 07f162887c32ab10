/** A short name for addresses from a business name: "Tideway & Sons Ltd" is tideway-sons-ltd. */
export function shortNameOf(business: string): string {
  return business
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, '');
}

export function isShortName(text: string): boolean {
  return /^[a-z0-9-]{2,40}$/.test(text);
}
