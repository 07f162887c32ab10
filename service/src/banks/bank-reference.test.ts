import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, property, string } from 'fast-check';
import { bankReference } from './bank-reference.ts';

test('the recipient sees a reference as it was given, as far as Faster Payments can carry it', () => {
  assert.equal(bankReference('Invoice 2026/11-42'), 'Invoice 2026/11-42');
  assert.equal(bankReference('Café Zoë'), 'Cafe Zoe');
  assert.equal(bankReference('Order\u20ac 5 – thanks'), 'Order 5 thanks');
  assert.equal(bankReference('A reference that is longer than eighteen'), 'A reference that i');
  assert.equal(bankReference('€€€'), undefined);
});

test('whatever the reference, what is left of it can be carried', () => {
  check(
    property(string({ unit: 'binary', maxLength: 120 }), (reference) => {
      const carried = bankReference(reference);
      assert.match(carried ?? 'x', /^[A-Za-z0-9 /\-?:().,'+#=!"%&*<>;{@]{1,18}$/);
    }),
  );
});
