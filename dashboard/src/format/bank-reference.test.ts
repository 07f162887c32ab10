import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bankReference } from './bank-reference.ts';

test('a reference is previewed as Faster Payments carries it', () => {
  assert.equal(bankReference('Order 42'), 'Order 42');
  assert.equal(bankReference('Café Zoë №7 — invoice 2026/11/0042'), 'Cafe Zoe No7 invoi');
  assert.equal(bankReference('給与'), undefined);
});
