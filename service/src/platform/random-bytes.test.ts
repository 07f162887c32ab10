import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeRandomBytes } from './random-bytes.ts';

test('no byte is handed out twice, nor changed after it was', () => {
  const taken = Array.from({ length: 5_000 }, (_, at) => takeRandomBytes(12 + (at % 5)));
  const asSeen = taken.map((bytes) => Buffer.from(bytes).toString('hex'));
  assert.equal(new Set(asSeen).size, taken.length);
  takeRandomBytes(8_000);
  takeRandomBytes(8_000);
  assert.deepEqual(
    taken.map((bytes) => Buffer.from(bytes).toString('hex')),
    asSeen,
  );
  const places = taken.map(({ buffer, byteOffset, length }) => ({ buffer, from: byteOffset, to: byteOffset + length }));
  for (const [at, { buffer, from }] of places.entries()) {
    const before = places[at - 1];
    assert(before === undefined || before.buffer !== buffer || before.to <= from, 'two share a byte');
  }
});
