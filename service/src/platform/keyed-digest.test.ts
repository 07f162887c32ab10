import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyedDigest } from './keyed-digest.ts';

const key = Buffer.alloc(32, 1);

test('a digest is the same for the same text, key and purpose, on every process and for ever', () => {
  const digest = createKeyedDigest(key, 'account index');
  assert.equal(digest('a').length, 32);
  assert(digest('a').equals(createKeyedDigest(Buffer.from(key), 'account index')('a')));
  // Written down: rows that were kept long ago are found by it.
  assert.equal(digest('a').toString('hex'), 'd8890fe0f9f374d240405a060e875dc8e4d4e2b8890181aaf91e02e1d7202e23');
});

test('another text, key or purpose is another digest', () => {
  const digests = [
    createKeyedDigest(key, 'account index')('a'),
    createKeyedDigest(key, 'account index')('b'),
    createKeyedDigest(key, 'account index')(''),
    createKeyedDigest(key, 'body fingerprint')('a'),
    createKeyedDigest(Buffer.alloc(32, 2), 'account index')('a'),
  ].map((digest) => digest.toString('hex'));
  assert.equal(new Set(digests).size, digests.length);
});
