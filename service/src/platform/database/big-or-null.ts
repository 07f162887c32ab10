/** The driver reads whole numbers that may be large as texts. */
export function bigOrNull(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
