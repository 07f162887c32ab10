import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PartnerContext } from '../platform/database/transaction.ts';

const secretForm = /^kp_(sandbox|live)_[a-f0-9]{48}$/;
const shownDigits = 8;

/** Turns secrets into what the database keeps of them. Without the pepper, what it keeps is worth nothing. */
export interface Pepper {
  digest(secret: string): Buffer;
}

export function createPepper(pepper: Buffer): Pepper {
  const key = createSecretKey(pepper);
  return { digest: (secret) => createHmac('sha256', key).update(secret).digest() };
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
