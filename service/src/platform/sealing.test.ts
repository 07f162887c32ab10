import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSealer } from './sealing.ts';

const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const place = { table: 'payouts', row: 'p1', column: 'recipient_sealed' };
const sealer = createSealer(new Map([[1, oldKey]]));

test('what is sealed opens in its place, whatever text it is', () => {
  for (const text of ['', 'a', 'Zoë 👩‍👧', '\u0000', 'x'.repeat(100_000)])
    assert.equal(sealer.open(sealer.seal(text, place), place), text);
});

test('faults 58: moved to another row, column or table, it does not open', () => {
  const sealed = sealer.seal('secret', place);
  for (const change of [{ row: 'p2' }, { column: 'name' }, { table: 'partners' }, { row: '' }])
    assert.throws(() => sealer.open(sealed, { ...place, ...change }), JSON.stringify(change));
});

test('every single bit that is flipped is found, and so is every cut', () => {
  const sealed = sealer.seal('secret', place);
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const flipped = Buffer.from(sealed);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    assert.throws(() => sealer.open(flipped, place), `bit ${bit}`);
  }
  for (let length = 0; length < sealed.length; length += 1)
    assert.throws(() => sealer.open(sealed.subarray(0, length), place), `${length} bytes`);
  assert.throws(() => sealer.open(Buffer.concat([sealed, Buffer.of(0)]), place));
});

test('two seals of the same text differ, and neither shows it', () => {
  const [one, other] = [sealer.seal('secret', place), sealer.seal('secret', place)];
  assert(!one.equals(other));
  assert(!one.includes('secret') && !other.includes('secret'));
});

test('the newest key seals, and what an older one sealed still opens', () => {
  const before = sealer.seal('secret', place);
  const after = createSealer(
    new Map([
      [2, newKey],
      [1, oldKey],
    ]),
  );
  assert.equal(after.open(before, place), 'secret');
  const anew = after.seal('secret', place);
  assert.equal(anew[0], 2);
  assert.throws(() => sealer.open(anew, place), /data key 2, which is not configured/);
});

test('a value does not pass for one of another key version', () => {
  const both = createSealer(
    new Map([
      [1, oldKey],
      [2, oldKey],
    ]),
  );
  const sealed = both.seal('secret', place);
  sealed[0] = 1;
  assert.throws(() => both.open(sealed, place));
});
