import { createHmac, createSecretKey, randomBytes, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { PartnerContext } from '../platform/database/transaction.ts';

const secretForm = /^kp_(sandbox|live)_[a-f0-9]{48}$/;
const shownDigits = 8;

/** Turns secrets into what the database keeps of them. Without the pepper, what it keeps is worth nothing. */
export interface Pepper {
  /** The version that digests. */
  version: number;
  digest(secret: string): Buffer;
  /** By the peppers before: a secret that was digested with one of them is recognised, and digested anew. */
  earlierDigests(secret: string): Buffer[];
}

function digestWith(key: KeyObject, secret: string): Buffer {
  return createHmac('sha256', key).update(secret).digest();
}

/** By version. The first digests; the others recognise. */
export function createPepper(peppers: ReadonlyMap<number, Buffer>): Pepper {
  const [first, ...others] = Array.from(peppers, ([version, bytes]) => ({ version, key: createSecretKey(bytes) }));
  if (first === undefined) throw new Error('there is no pepper');
  return {
    version: first.version,
    digest: (secret) => digestWith(first.key, secret),
    earlierDigests: (secret) => others.map(({ key }) => digestWith(key, secret)),
  };
}

/** What the database finds by a secret's digest: by the newest pepper or, during a change of peppers, by one before. */
export async function findBySecret<Row>(
  pepper: Pepper,
  secret: string,
  find: (digest: Buffer) => Promise<Row | null>,
): Promise<{ row: Row; digest: Buffer } | null> {
  for (const digest of [pepper.digest(secret), ...pepper.earlierDigests(secret)]) {
    const row = await find(digest);
    if (row !== null) return { row, digest };
  }
  return null;
}

export function isSecret(text: string): boolean {
  return secretForm.test(text);
}

export function newSecret(environment: PartnerContext['environment']): { secret: string; prefix: string } {
  const start = `kp_${environment}_`;
  const digits = randomBytes(24).toString('hex');
  return { secret: start + digits, prefix: start + digits.slice(0, shownDigits) };
}

/** Takes as long for digests that differ late as for those that differ early. */
export function sameDigest(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
