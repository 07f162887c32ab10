import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queueAct } from './queue-keys.ts';

const plain = { ctrlKey: false, metaKey: false, altKey: false };
const press = (key: string, at: number, count = 3) => queueAct({ key, ...plain }, { at, count });

test('j, k and the arrows move by a row and stay within the queue', () => {
  assert.deepEqual(press('j', -1), { kind: 'move', to: 0 });
  assert.deepEqual(press('ArrowDown', 0), { kind: 'move', to: 1 });
  assert.deepEqual(press('j', 2), { kind: 'move', to: 2 });
  assert.deepEqual(press('k', 1), { kind: 'move', to: 0 });
  assert.deepEqual(press('ArrowUp', 0), { kind: 'move', to: 0 });
  assert.deepEqual(press('Home', 2), { kind: 'move', to: 0 });
  assert.deepEqual(press('End', 0), { kind: 'move', to: 2 });
});

test('a row is opened, approved or declined only where it has the focus', () => {
  assert.deepEqual(press('a', 1), { kind: 'approve', at: 1 });
  assert.deepEqual(press('d', 1), { kind: 'decline', at: 1 });
  assert.deepEqual(press('Enter', 1), { kind: 'open', at: 1 });
  for (const key of ['a', 'd', 'Enter']) assert.equal(press(key, -1), undefined);
});

test('other keys, keys of the browser and an empty queue do nothing', () => {
  assert.equal(press('x', 1), undefined);
  assert.equal(press('j', -1, 0), undefined);
  for (const held of ['ctrlKey', 'metaKey', 'altKey'])
    assert.equal(queueAct({ key: 'a', ...plain, [held]: true }, { at: 1, count: 3 }), undefined);
});
