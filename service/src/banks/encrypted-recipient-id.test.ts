import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEncryptor } from '../platform/encryption.ts';
import { encryptRecipientId, openRecipientId, type RecipientAccount } from './encrypted-recipient-id.ts';

const encryptor = createEncryptor(new Map([[1, Buffer.alloc(32, 7)]]));
const account: RecipientAccount = { partnerId: 'p1', environment: 'live', accountIndex: Buffer.alloc(32, 1) };

test("a recipient's id opens for the account that it was encrypted for", () => {
  assert.equal(openRecipientId(encryptor, account, encryptRecipientId(encryptor, account, 'r1')), 'r1');
});

for (const [what, other] of [
  ['partner', { partnerId: 'p2' }],
  ['environment', { environment: 'sandbox' }],
  ['account', { accountIndex: Buffer.alloc(32, 2) }],
] as const) {
  test(`faults 59: a recipient's id that was copied to another ${what} does not open`, () => {
    const encrypted = encryptRecipientId(encryptor, account, 'r1');
    assert.equal(openRecipientId(encryptor, { ...account, ...other }, encrypted), null);
  });
}

test('faults 59: what was changed, or never was encrypted, does not open', () => {
  const changed = Buffer.from(encryptRecipientId(encryptor, account, 'r1'));
  changed[20] = (changed[20] ?? 0) ^ 1;
  for (const encrypted of [changed, Buffer.from('r1'), Buffer.of()])
    assert.equal(openRecipientId(encryptor, account, encrypted), null);
});
