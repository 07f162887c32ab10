import type { PartnerContext, Transaction } from '../../platform/database/transaction.ts';

/** A payout with what its digests are made of. */
export interface IndexedPayout extends PartnerContext {
  id: string;
  amount: bigint;
  reference: string | null;
  recipientEncrypted: Buffer | null;
  bankRecipientEncrypted: Buffer | null;
  accountIndex: Buffer | null;
  orderId: string;
  /** Null where its key stands for another attempt, or its body is not known. */
  fingerprint: Buffer | null;
  /** It has a lease. */
  isHeld: boolean;
}

export async function listIndexedPayouts(tx: Transaction, after: string, atMost: number): Promise<IndexedPayout[]> {
  const { rows } = await tx.query<IndexedPayout & { amount: string }>(
    `select id, partner_id as "partnerId", environment, amount_pence as amount, reference,
       recipient_encrypted as "recipientEncrypted", bank_recipient_encrypted as "bankRecipientEncrypted",
       account_index as "accountIndex", order_id as "orderId", fingerprint, is_held as "isHeld"
     from kelpie.list_indexed_payouts($1, $2)`,
    [after, atMost],
  );
  return rows.map((row) => Object.assign(row, { amount: BigInt(row.amount) }));
}

/** What the bank called the recipient of an account, at one time. */
export interface IndexedRecipient extends PartnerContext {
  accountIndex: Buffer;
  number: string;
  encrypted: Buffer | null;
}

type Account = PartnerContext & { accountIndex: Buffer };

export async function listRecipientsOf(tx: Transaction, accounts: readonly Account[]): Promise<IndexedRecipient[]> {
  const { rows } = await tx.query<IndexedRecipient>(
    `select partner_id as "partnerId", environment, account_index as "accountIndex", number, id_encrypted as encrypted
     from kelpie.list_recipients_of_accounts($1, $2::kelpie.environment[], $3)`,
    [
      accounts.map(({ partnerId }) => partnerId),
      accounts.map(({ environment }) => environment),
      accounts.map(({ accountIndex }) => accountIndex),
    ],
  );
  return rows;
}

export interface IndexChange {
  payout: IndexedPayout & { accountIndex: Buffer };
  accountIndex: Buffer;
  recipientEncrypted: Buffer | null;
  bankRecipientEncrypted: Buffer | null;
  equalHash: bigint | null;
  /** Null where it stays. */
  fingerprint: Buffer | null;
}

export interface RecipientChange {
  recipient: IndexedRecipient;
  accountIndex: Buffer;
  encrypted: Buffer | null;
}

/** Returns how many payouts were still as they were read. The database refuses it without an audit entry in this transaction. */
export async function replaceIndexes(
  tx: Transaction,
  changes: readonly IndexChange[],
  recipients: readonly RecipientChange[],
): Promise<number> {
  const { rows } = await tx.query<{ replaced: number }>(
    `select kelpie.replace_account_indexes($1, $2, $3::kelpie.environment[], $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
       $15::kelpie.environment[], $16, $17, $18, $19) as replaced`,
    [
      changes.map(({ payout }) => payout.id),
      changes.map(({ payout }) => payout.partnerId),
      changes.map(({ payout }) => payout.environment),
      changes.map(({ payout }) => payout.accountIndex),
      changes.map(({ accountIndex }) => accountIndex),
      changes.map(({ payout }) => payout.recipientEncrypted),
      changes.map(({ recipientEncrypted }) => recipientEncrypted),
      changes.map(({ payout }) => payout.bankRecipientEncrypted),
      changes.map(({ bankRecipientEncrypted }) => bankRecipientEncrypted),
      changes.map(({ equalHash }) => equalHash),
      changes.map(({ payout }) => payout.orderId),
      changes.map(({ payout, fingerprint }) => (fingerprint === null ? null : payout.fingerprint)),
      changes.map(({ fingerprint }) => fingerprint),
      recipients.map(({ recipient }) => recipient.partnerId),
      recipients.map(({ recipient }) => recipient.environment),
      recipients.map(({ recipient }) => recipient.accountIndex),
      recipients.map(({ recipient }) => recipient.number),
      recipients.map(({ accountIndex }) => accountIndex),
      recipients.map(({ encrypted }) => encrypted),
    ],
  );
  return rows[0]?.replaced ?? 0;
}
