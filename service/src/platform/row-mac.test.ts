import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRowMacs, type Deciding, type NamedRow, type RowKeys } from './row-mac.ts';

const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const row = { table: 'members', partnerId: 'p' };

function macsBy(keys: RowKeys) {
  const alarms: NamedRow[] = [];
  return { macs: createRowMacs(keys, (found) => alarms.push(found)), alarms };
}

test('a row is ours with the values that it was written with, and with no others', () => {
  const { macs, alarms } = macsBy(new Map([[1, older]]));
  const values: Deciding[] = ['a', null, true, new Date(5), Buffer.of(1, 2), ['x', 'y']];
  const mac = macs.make(row, values);
  assert(macs.isOurs(row, values, mac));
  assert.deepEqual(alarms, []);
  const others: Deciding[] = ['b', '', false, new Date(6), Buffer.of(1), ['x']];
  for (const [at, other] of others.entries()) assert(!macs.isOurs(row, values.with(at, other), mac));
  assert(!macs.isOurs({ ...row, table: 'sessions' }, values, mac));
  assert(!macs.isOurs(row, values, null));
  assert(!macs.isOurs(row, values, Buffer.alloc(33)));
  assert.equal(alarms.length, others.length + 3);
});

test('what moves from one column to the next makes another row', () => {
  const { macs } = macsBy(new Map([[1, older]]));
  const pairs: Deciding[][] = [
    ['ab', 'c'],
    ['a', 'bc'],
    ['abc', ''],
    ['abc', null],
    ['a,1:b', 'c'],
    ['-', 'abc'],
    [null, 'abc'],
  ];
  assert.equal(new Set(pairs.map((values) => macs.make(row, values).toString('hex'))).size, pairs.length);
});

test('a row of a key before is recognised as long as that key is configured', () => {
  const before = macsBy(new Map([[1, older]])).macs.make(row, ['a']);
  const during = macsBy(
    new Map([
      [2, newer],
      [1, older],
    ]),
  );
  assert(during.macs.isOurs(row, ['a'], before));
  assert.equal(during.macs.make(row, ['a'])[0], 2);
  assert(!macsBy(new Map([[2, newer]])).macs.isOurs(row, ['a'], before));
});
