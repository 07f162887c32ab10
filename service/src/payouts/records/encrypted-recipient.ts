import type { Encryptor } from '../../platform/encryption.ts';
import type { PayoutRecipient } from '../model/order.ts';

function placeOf(payoutId: string) {
  return { table: 'payouts', row: payoutId, column: 'recipient_encrypted' };
}

export function encryptRecipient(encryptor: Encryptor, payoutId: string, recipient: PayoutRecipient): Buffer {
  return encryptor.encrypt(JSON.stringify(recipient), placeOf(payoutId));
}

function isRecipient(value: unknown): value is PayoutRecipient {
  return typeof value === 'object' && value !== null && 'accountNumber' in value && 'address' in value;
}

/** What we encrypted ourselves has the form that we gave it: the authentication tag proves it. This check tells the compiler so. */
export function openRecipient(
  encryptor: Encryptor,
  payout: { id: string; recipientEncrypted: Buffer },
): PayoutRecipient {
  const recipient: unknown = JSON.parse(encryptor.decrypt(payout.recipientEncrypted, placeOf(payout.id)));
  if (!isRecipient(recipient)) throw new Error('an encrypted recipient of another form');
  return recipient;
}
