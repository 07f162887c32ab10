import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEncryptor } from '../../platform/encryption.ts';
import type { PayoutRecipient } from '../model/order.ts';
import { openRecipient, encryptRecipient } from './encrypted-recipient.ts';

const encryptor = createEncryptor(new Map([[1, Buffer.alloc(32, 7)]]));
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

test('a recipient is the same after encryption and decryption', () => {
  const recipientEncrypted = encryptRecipient(encryptor, 'p1', recipient);
  assert.deepEqual(openRecipient(encryptor, { id: 'p1', recipientEncrypted }), recipient);
});

test('faults 58: a recipient that was moved to another payout is refused', () => {
  const recipientEncrypted = encryptRecipient(encryptor, 'p1', recipient);
  assert.throws(() => openRecipient(encryptor, { id: 'p2', recipientEncrypted }));
});

test('nothing of a recipient can be read from what is encrypted', () => {
  const encrypted = encryptRecipient(encryptor, 'p1', recipient);
  for (const value of ['12345678', '040004', 'Leeds', 'Neil']) assert(!encrypted.includes(Buffer.from(value)), value);
});
