import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createKeyedDigest } from '../../platform/keyed-digest.ts';
import { createProofsOfWork } from './proof-of-work.ts';

const proofs = createProofsOfWork(createKeyedDigest(Buffer.alloc(32, 1), 'test'));
const others = createProofsOfWork(createKeyedDigest(Buffer.alloc(32, 2), 'test'));
const email = 'ada@example.com';
const now = new Date('2026-11-19T12:00:00Z');

function solve(challenge: string, bits: number): string {
  for (let nonce = 0; ; nonce += 1) {
    const digest = createHash('sha256').update(`${challenge}:${nonce}`).digest();
    if (Math.clz32(digest.readUInt32BE(0)) >= bits) return String(nonce);
  }
}

const { challenge, bits, expiresAt } = proofs.challengeFor(email, now);
const nonce = solve(challenge, bits);

test('a solved challenge proves work for its address until it expires', () => {
  assert(proofs.isSolved(email, { challenge, nonce }, now));
  assert(proofs.isSolved(email, { challenge, nonce }, new Date(expiresAt.getTime() - 1)));
  assert(!proofs.isSolved(email, { challenge, nonce }, expiresAt));
});

test('it proves nothing for another address, by another nonce, or made by someone else', () => {
  assert(!proofs.isSolved('bob@example.com', { challenge, nonce }, now));
  assert(!proofs.isSolved(email, { challenge, nonce: `${nonce}x` }, now));
  const made = others.challengeFor(email, now);
  assert(!proofs.isSolved(email, { challenge: made.challenge, nonce: solve(made.challenge, bits) }, now));
  const prolonged = challenge.replace(/^\d+/, String(expiresAt.getTime() + 1));
  assert(!proofs.isSolved(email, { challenge: prolonged, nonce: solve(prolonged, bits) }, now));
  assert(!proofs.isSolved(email, { challenge: '', nonce: '' }, now));
});
