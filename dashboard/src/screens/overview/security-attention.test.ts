import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frozenItems } from './security-attention.ts';

test('frozen payouts are urgent', () => {
  assert.equal(frozenItems({ is_frozen: true })[0]?.level, 'urgent');
  assert.deepEqual(frozenItems({ is_frozen: false }), []);
  assert.deepEqual(frozenItems(undefined), []);
});
