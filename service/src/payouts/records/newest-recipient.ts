import type { Transaction } from '../../platform/database/transaction.ts';
import type { Encryptor } from '../../platform/encryption.ts';
import type { VersionedDigest } from '../../platform/keyed-digest.ts';
import { accountIndexOf, type PayoutRecipient } from '../model/order.ts';
import { openRecipient } from './encrypted-recipient.ts';

interface NewestRow {
  id: string;
  encrypted: Buffer;
  account_index: Buffer;
}

type NewestRecipient =
  | { kind: 'none' }
  | { kind: 'opened'; isIndexed: boolean }
  /** By no data key that is configured. */
  | { kind: 'closed'; keyVersion: number };

function open(encryptor: Encryptor, { id, encrypted }: NewestRow): PayoutRecipient | null {
  try {
    return openRecipient(encryptor, { id, recipientEncrypted: encrypted });
  } catch {
    return null;
  }
}

/** Whether our keys open the recipient that was encrypted last, and find its account again. As the reading role. */
export async function openNewestRecipient(
  tx: Transaction,
  encryptor: Encryptor,
  { newest, earlier }: VersionedDigest,
): Promise<NewestRecipient> {
  const { rows } = await tx.query<NewestRow>(
    `select id, recipient_encrypted as encrypted, account_index from kelpie.payouts
     where recipient_encrypted is not null and account_index is not null order by id desc limit 1`,
  );
  const [row] = rows;
  if (row === undefined) return { kind: 'none' };
  const recipient = open(encryptor, row);
  if (recipient === null) return { kind: 'closed', keyVersion: row.encrypted[0] ?? 0 };
  const isIndexed = [newest, ...earlier].some((digest) => accountIndexOf(digest, recipient).equals(row.account_index));
  return { kind: 'opened', isIndexed };
}
