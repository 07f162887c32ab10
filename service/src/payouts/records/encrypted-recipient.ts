import type { Encryptor } from '../../platform/encryption.ts';
import type { PayoutRecipient } from '../model/order.ts';

/** A recipient belongs to a payout, or to a request that waits for approval. */
type RecipientTable = 'payouts' | 'payout_requests';

function placeOf(row: string, table: RecipientTable) {
  return { table, row, column: 'recipient_encrypted' };
}

export function encryptRecipient(
  encryptor: Encryptor,
  id: string,
  recipient: PayoutRecipient,
  table: RecipientTable = 'payouts',
): Buffer {
  return encryptor.encrypt(JSON.stringify(recipient), placeOf(id, table));
}

function isRecipient(value: unknown): value is PayoutRecipient {
  return typeof value === 'object' && value !== null && 'accountNumber' in value && 'address' in value;
}

/**
 * The recipient that a payout was created with. One that was rebuilt from the bank's record has none until its request is
 * repeated, and is never sent.
 *
 * What we encrypted ourselves has the form that we gave it: the authentication tag proves it. This check tells the
 * compiler so.
 */
export function openRecipient(
  encryptor: Encryptor,
  { id, recipientEncrypted }: { id: string; recipientEncrypted: Buffer | null },
  table: RecipientTable = 'payouts',
): PayoutRecipient {
  if (recipientEncrypted === null) throw new Error('the recipient of this payout is not known');
  const recipient: unknown = JSON.parse(encryptor.decrypt(recipientEncrypted, placeOf(id, table)));
  if (!isRecipient(recipient)) throw new Error('an encrypted recipient of another form');
  return recipient;
}
