import { createHash, timingSafeEqual } from 'node:crypto';
import type { KeyedDigest } from '../../platform/keyed-digest.ts';

interface Challenge {
  challenge: string;
  /** How many zero bits the digest of a solution begins with. */
  bits: number;
  expiresAt: Date;
}

export interface Proof {
  challenge: string;
  nonce: string;
}

/** A quarter of a million attempts: a second or two in a browser. */
const bits = 18;
const goodForMs = 10 * 60_000;

/** Challenges are signed and not stored: whoever checks one needs nothing but the key. */
interface ProofsOfWork {
  challengeFor(email: string, now: Date): Challenge;
  isSolved(email: string, proof: Proof, now: Date): boolean;
}

export function createProofsOfWork(digest: KeyedDigest): ProofsOfWork {
  const issue = (email: string, expiresAtMs: number): string =>
    `${expiresAtMs}.${digest(`${expiresAtMs}|${email}`).toString('base64url')}`;
  return {
    challengeFor(email, now) {
      const expiresAtMs = now.getTime() + goodForMs;
      return { challenge: issue(email, expiresAtMs), bits, expiresAt: new Date(expiresAtMs) };
    },
    isSolved(email, { challenge, nonce }, now) {
      const expiresAtMs = Number(/^(\d{13})\./.exec(challenge)?.[1] ?? 0);
      const isCurrent = expiresAtMs > now.getTime() && expiresAtMs <= now.getTime() + goodForMs;
      // Of this address: a solution for one is none for the next.
      return isCurrent && isSame(challenge, issue(email, expiresAtMs)) && zeroBits(challenge, nonce) >= bits;
    },
  };
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function zeroBits(challenge: string, nonce: string): number {
  return Math.clz32(createHash('sha256').update(`${challenge}:${nonce}`).digest().readUInt32BE(0));
}
