const batch = 512;

async function zeroBitsOf(text: string): Promise<number> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Math.clz32(new DataView(digest).getUint32(0));
}

/** The nonce with which the digest of a challenge begins with so many zero bits. */
export async function solveChallenge(challenge: string, bits: number): Promise<string> {
  for (let first = 0; ; first += batch) {
    const nonces = Array.from({ length: batch }, (_, nth) => String(first + nth));
    const zeros = await Promise.all(nonces.map(async (nonce) => zeroBitsOf(`${challenge}:${nonce}`)));
    const found = nonces.find((_, nth) => (zeros[nth] ?? 0) >= bits);
    if (found !== undefined) return found;
  }
}
