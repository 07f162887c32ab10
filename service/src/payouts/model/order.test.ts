import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createKeyedDigest } from '../../platform/keyed-digest.ts';
import {
  accountIndexOf,
  bankKeyOf,
  fingerprintOf,
  mismatchedFields,
  orderIdOf,
  type PayoutOrder,
  type PayoutRecipient,
} from './order.ts';

const digest = createKeyedDigest(Buffer.alloc(32, 1), 'test');
const partnerEnvironment = { partnerId: '019a8000-0000-7000-8000-000000000001', environment: 'sandbox' } as const;
const recipient: PayoutRecipient = {
  type: 'individual',
  firstName: 'Ada',
  lastName: 'Byron',
  email: 'ada@example.test',
  bankName: 'Example Bank',
  sortCode: '040004',
  accountNumber: '12345678',
  address: { line1: '1 High Street', line2: 'Flat 2', city: 'Leeds', region: 'Yorkshire', postalCode: 'LS1 1AA' },
};
const order: PayoutOrder = { amount: 10_000n, country: 'GB', reference: 'Order 42', recipient };

test('the same key of the same partner and environment is the same order, for ever', () => {
  // Written down: a payout that was made long ago must be found under it.
  assert.equal(orderIdOf(partnerEnvironment, 'order-42'), '277f7173-cc05-2e99-1857-4a2d270a3185');
  assert.equal(orderIdOf({ ...partnerEnvironment }, 'order-42'), orderIdOf(partnerEnvironment, 'order-42'));
});

test('another key, partner or environment is another order', () => {
  const ids = [
    orderIdOf(partnerEnvironment, 'order-42'),
    orderIdOf(partnerEnvironment, 'order-43'),
    orderIdOf(partnerEnvironment, 'Order-42'),
    orderIdOf({ ...partnerEnvironment, environment: 'live' }, 'order-42'),
    orderIdOf({ ...partnerEnvironment, partnerId: '019a8000-0000-7000-8000-000000000002' }, 'order-42'),
  ];
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test('each round at the bank has a key of its own, and every try in a round the same', () => {
  const orderId = orderIdOf(partnerEnvironment, 'order-42');
  assert.equal(bankKeyOf({ orderId, bankRound: 1 }), bankKeyOf({ orderId, bankRound: 1 }));
  assert.notEqual(bankKeyOf({ orderId, bankRound: 1 }), bankKeyOf({ orderId, bankRound: 2 }));
});

function withRecipient(change: Partial<PayoutRecipient>): PayoutOrder {
  return { ...order, recipient: { ...recipient, ...change } };
}

function withAddress(change: Partial<PayoutRecipient['address']>): PayoutOrder {
  return withRecipient({ address: { ...recipient.address, ...change } });
}

const changes: readonly [path: string, changed: PayoutOrder][] = [
  ['amount_gbp', { ...order, amount: 10_001n }],
  ['reference', { ...order, reference: 'Order 43' }],
  ['reference', { ...order, reference: null }],
  ['recipient.type', withRecipient({ type: 'business' })],
  ['recipient.first_name', withRecipient({ firstName: 'ada' })],
  ['recipient.last_name', withRecipient({ lastName: 'Byron ' })],
  ['recipient.email', withRecipient({ email: null })],
  ['recipient.address.line1', withAddress({ line1: '2 High Street' })],
  ['recipient.address.line2', withAddress({ line2: null })],
  ['recipient.address.city', withAddress({ city: 'York' })],
  ['recipient.address.postal_code', withAddress({ postalCode: 'LS1 1AB' })],
  ['recipient.address.region', withAddress({ region: 'Leeds' })],
  ['recipient.bank.bank_name', withRecipient({ bankName: 'Other Bank' })],
  ['recipient.bank.sort_code', withRecipient({ sortCode: '040005' })],
  ['recipient.bank.account_number', withRecipient({ accountNumber: '12345679' })],
];

test('each field that changes alone is named alone, and makes another fingerprint', () => {
  const kept = fingerprintOf(digest, order);
  assert.deepEqual(mismatchedFields(order, structuredClone(order)), []);
  assert(kept.equals(fingerprintOf(digest, structuredClone(order))));
  for (const [path, changed] of changes) {
    assert.deepEqual(mismatchedFields(changed, order), [path]);
    // And the other way round: what was left out at first is given now.
    assert.deepEqual(mismatchedFields(order, changed), [path]);
    assert(!kept.equals(fingerprintOf(digest, changed)), path);
  }
});

test('all fields that changed are named at once, and values that only changed places are told apart', () => {
  const swapped = withRecipient({ firstName: recipient.lastName, lastName: recipient.firstName });
  assert.deepEqual(mismatchedFields(swapped, order), ['recipient.first_name', 'recipient.last_name']);
  assert(!fingerprintOf(digest, swapped).equals(fingerprintOf(digest, order)));
});

test('a fingerprint holds nothing of the values, and without its key nobody can try values against it', () => {
  const kept = fingerprintOf(digest, order);
  for (const value of ['Ada', 'Byron', '040004', '12345678', 'LS1 1AA']) {
    assert(!kept.includes(Buffer.from(value)), value);
  }
  const otherKey = createKeyedDigest(Buffer.alloc(32, 2), 'test');
  assert(!kept.equals(fingerprintOf(otherKey, order)));
});

test('an account is known again under the same name and type alone, wherever its owner lives', () => {
  const index = accountIndexOf(digest, recipient);
  assert.equal(index.length, 32);
  const elsewhere = withAddress({ line1: 'Elsewhere' }).recipient;
  assert(index.equals(accountIndexOf(digest, { ...elsewhere, email: null, bankName: 'Other' })));
  for (const change of [
    { firstName: 'Bea' },
    { lastName: 'Other' },
    { type: 'business' as const },
    { sortCode: '040005' },
    { accountNumber: '12345679' },
  ])
    assert(!index.equals(accountIndexOf(digest, { ...recipient, ...change })));
});

function indexOfName(firstName: string, lastName: string): string {
  return accountIndexOf(digest, { ...recipient, firstName, lastName }).toString('hex');
}

test('no two names run into each other in the index of an account', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (a, b, c, d) => {
      fc.pre(a !== c || b !== d);
      assert.notEqual(indexOfName(a, b), indexOfName(c, d));
    }),
  );
});
