import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEncryptor } from './encryption.ts';

const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const place = { table: 'payouts', row: 'p1', column: 'recipient_encrypted' };
const encryptor = createEncryptor(new Map([[1, oldKey]]));

test('what is encrypted decrypts in its place, whatever text it is', () => {
  for (const text of ['', 'a', 'Zoë 👩‍👧', '\u0000', 'x'.repeat(100_000)])
    assert.equal(encryptor.decrypt(encryptor.encrypt(text, place), place), text);
});

test('faults 58: moved to another row, column or table, it does not open', () => {
  const encrypted = encryptor.encrypt('secret', place);
  for (const change of [{ row: 'p2' }, { column: 'name' }, { table: 'partners' }, { row: '' }])
    assert.throws(() => encryptor.decrypt(encrypted, { ...place, ...change }), JSON.stringify(change));
});

test('every single bit that is flipped is found, and so is every cut', () => {
  const encrypted = encryptor.encrypt('secret', place);
  for (let bit = 0; bit < encrypted.length * 8; bit += 1) {
    const flipped = Buffer.from(encrypted);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    assert.throws(() => encryptor.decrypt(flipped, place), `bit ${bit}`);
  }
  for (let length = 0; length < encrypted.length; length += 1)
    assert.throws(() => encryptor.decrypt(encrypted.subarray(0, length), place), `${length} bytes`);
  assert.throws(() => encryptor.decrypt(Buffer.concat([encrypted, Buffer.of(0)]), place));
});

test('two encryptions of the same text differ, and neither shows it', () => {
  const [one, other] = [encryptor.encrypt('secret', place), encryptor.encrypt('secret', place)];
  assert(!one.equals(other));
  assert(!one.includes('secret') && !other.includes('secret'));
});

test('the newest key encrypts, and what an older one encrypted still decrypts', () => {
  const before = encryptor.encrypt('secret', place);
  const after = createEncryptor(
    new Map([
      [2, newKey],
      [1, oldKey],
    ]),
  );
  assert.equal(after.decrypt(before, place), 'secret');
  const anew = after.encrypt('secret', place);
  assert.equal(anew[0], 2);
  assert.throws(() => encryptor.decrypt(anew, place), /data key 2, which is not configured/);
});

test('a value does not pass for one of another key version', () => {
  const both = createEncryptor(
    new Map([
      [1, oldKey],
      [2, oldKey],
    ]),
  );
  const encrypted = both.encrypt('secret', place);
  encrypted[0] = 2;
  assert.throws(() => both.decrypt(encrypted, place));
});
