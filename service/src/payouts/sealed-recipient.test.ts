import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSealer } from '../platform/sealing.ts';
import { openRecipient, sealRecipient, type PayoutRecipient } from './sealed-recipient.ts';

const sealer = createSealer(new Map([[1, Buffer.alloc(32, 7)]]));
const recipient: PayoutRecipient = {
  type: 'business',
  firstName: 'Zoë 👩‍👧',
  lastName: 'O’Neil',
  email: null,
  bankName: 'Example Bank',
  sortCode: '040004',
  accountNumber: '12345678',
  address: { line1: '1 High Street', line2: null, city: 'Leeds', region: 'Leeds', postalCode: 'LS1 1AA' },
};

test('a recipient comes out of its seal as it went in', () => {
  const recipientSealed = sealRecipient(sealer, 'p1', recipient);
  assert.deepEqual(openRecipient(sealer, { id: 'p1', recipientSealed }), recipient);
});

test('faults 58: a recipient that was moved to another payout is refused', () => {
  const recipientSealed = sealRecipient(sealer, 'p1', recipient);
  assert.throws(() => openRecipient(sealer, { id: 'p2', recipientSealed }));
});

test('nothing of a recipient can be read from what is sealed', () => {
  const sealed = sealRecipient(sealer, 'p1', recipient);
  for (const value of ['12345678', '040004', 'Leeds', 'Neil']) assert(!sealed.includes(Buffer.from(value)), value);
});
