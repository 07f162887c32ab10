import type { Encryptor } from '../../platform/encryption.ts';
import { RowTampered } from '../../platform/row-mac.ts';
import type { PayoutRecipient } from '../model/order.ts';
import type { Payout } from '../model/payout.ts';

/** A recipient belongs to a payout, or to a request that waits for approval. */
type RecipientTable = 'payouts' | 'payout_requests';

function placeOf(row: string, table: RecipientTable) {
  return { table, row, column: 'recipient_encrypted' };
}

/** What of a payout's row decides where money goes, how much, and whose. */
export type SealedPayout = Pick<Payout, 'partnerId' | 'environment' | 'orderId' | 'amount' | 'accountIndex'>;

function orderOf({ partnerId, environment, orderId, amount, accountIndex }: SealedPayout): string {
  return [partnerId, environment, orderId, amount, accountIndex?.toString('hex')].join('|');
}

export function encryptRecipient(
  encryptor: Encryptor,
  id: string,
  recipient: PayoutRecipient,
  table: RecipientTable = 'payouts',
): Buffer {
  return encryptor.encrypt(JSON.stringify(recipient), placeOf(id, table));
}

/** With what may be sent to the recipient: a row that says otherwise later was changed past us. */
export function sealPayout(
  encryptor: Encryptor,
  payout: SealedPayout & { id: string },
  recipient: PayoutRecipient,
): Buffer {
  return encryptor.encrypt(JSON.stringify({ ...recipient, order: orderOf(payout) }), placeOf(payout.id, 'payouts'));
}

interface EncryptedRecipient {
  id: string;
  recipientEncrypted: Buffer | null;
}

function isRecipient(value: unknown): value is PayoutRecipient & { order?: unknown } {
  return typeof value === 'object' && value !== null && 'accountNumber' in value && 'address' in value;
}

/**
 * The recipient that a payout was created with. One that was rebuilt from the bank's record has none until its request is
 * repeated, and is never sent.
 *
 * What we encrypted ourselves has the form that we gave it: the authentication tag proves it. This check tells the
 * compiler so.
 */
function openWithOrder(encryptor: Encryptor, { id, recipientEncrypted }: EncryptedRecipient, table: RecipientTable) {
  if (recipientEncrypted === null) throw new Error('the recipient of this payout is not known');
  const opened: unknown = JSON.parse(encryptor.decrypt(recipientEncrypted, placeOf(id, table)));
  if (!isRecipient(opened)) throw new Error('an encrypted recipient of another form');
  const { order, ...recipient } = opened;
  return { order, recipient };
}

export function openRecipient(
  encryptor: Encryptor,
  encrypted: EncryptedRecipient,
  table: RecipientTable = 'payouts',
): PayoutRecipient {
  return openWithOrder(encryptor, encrypted, table).recipient;
}

/** Whom to pay. Throws where the row is not as it was when it was sealed, or its recipient is another's. */
export function openSealedRecipient(encryptor: Encryptor, payout: SealedPayout & EncryptedRecipient): PayoutRecipient {
  const recipient = recipientWhereUnchanged(encryptor, payout);
  if (recipient === null) throw new RowTampered();
  return recipient;
}

/** For another digest of the same account. A row that is not as it was sealed keeps the seal that says so. */
export function resealPayout(
  encryptor: Encryptor,
  payout: SealedPayout & EncryptedRecipient,
  accountIndex: Buffer,
): Buffer | null {
  const recipient = recipientWhereUnchanged(encryptor, payout);
  return recipient === null ? payout.recipientEncrypted : sealPayout(encryptor, { ...payout, accountIndex }, recipient);
}

function recipientWhereUnchanged(
  encryptor: Encryptor,
  payout: SealedPayout & EncryptedRecipient,
): PayoutRecipient | null {
  try {
    const { order, recipient } = openWithOrder(encryptor, payout, 'payouts');
    return order === orderOf(payout) ? recipient : null;
  } catch {
    return null;
  }
}
