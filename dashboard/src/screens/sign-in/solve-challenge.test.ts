import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { solveChallenge } from './solve-challenge.ts';

test('the digest of a solved challenge begins with as many zero bits as were asked for', async () => {
  const nonce = await solveChallenge('1800000000000.challenge', 12);
  const digest = createHash('sha256').update(`1800000000000.challenge:${nonce}`).digest();
  assert(Math.clz32(digest.readUInt32BE(0)) >= 12);
});
