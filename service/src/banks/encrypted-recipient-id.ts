import type { PartnerContext } from '../platform/database/transaction.ts';
import type { Encryptor } from '../platform/encryption.ts';

/** Whose recipient it is: a partner's account under a name, as its keyed digest. */
export interface RecipientAccount extends PartnerContext {
  /** Null where the account is not known: nothing is sent to it, and nothing kept of it. */
  accountIndex: Buffer | null;
}

/** A bank's id of a recipient is bound to its account: of another row, it would send the money to somebody else. */
function placeOf({ partnerId, environment, accountIndex }: RecipientAccount) {
  if (accountIndex === null) throw new Error('a recipient of an account that is not known');
  const row = [partnerId, environment, accountIndex.toString('hex')].join('|');
  return { table: 'known_recipients', row, column: 'id_encrypted' };
}

export function encryptRecipientId(encryptor: Encryptor, account: RecipientAccount, recipientId: string): Buffer {
  return encryptor.encrypt(recipientId, placeOf(account));
}

/** Null where it is not of this account, or was changed: then it is as good as unknown, and a reason for an alarm. */
export function openRecipientId(encryptor: Encryptor, account: RecipientAccount, encrypted: Buffer): string | null {
  try {
    return encryptor.decrypt(encrypted, placeOf(account));
  } catch {
    return null;
  }
}
