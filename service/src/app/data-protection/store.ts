import type { Transaction } from '../../platform/database/transaction.ts';

/** An open account that has the person as a member or a contact: its slug, or null. Runs as kelpie_reader or the service. */
export async function findOpenAccount(tx: Transaction, email: string): Promise<string | null> {
  const { rows } = await tx.query<{ slug: string }>(
    `select p.slug from kelpie.partners p where p.closed_at is null and (
       $1 in (p.contact_email, p.billing_email)
       or exists (select from kelpie.members m where m.partner_id = p.id and m.email = $1)
     ) limit 1`,
    [email],
  );
  return rows[0]?.slug ?? null;
}

export function requestPlace(proposalId: string) {
  return { table: 'erasure_requests', row: proposalId, column: 'email_encrypted' };
}

export async function keepRequest(
  tx: Transaction,
  { id, emailEncrypted, at }: { id: string; emailEncrypted: Buffer; at: Date },
): Promise<void> {
  await tx.query('select from kelpie.operator_request_erasure($1, $2, $3)', [id, emailEncrypted, at]);
}

/** Runs as kelpie_reader. */
export async function findRequestedEmail(tx: Transaction, proposalId: string): Promise<Buffer | null> {
  const { rows } = await tx.query<{ email_encrypted: Buffer }>(
    'select email_encrypted from kelpie.erasure_requests where proposal_id = $1',
    [proposalId],
  );
  return rows[0]?.email_encrypted ?? null;
}

interface MemberErasure {
  proposalId: string;
  subject: string;
  email: string;
  emailHmac: Buffer;
  rows: readonly string[];
  at: Date;
}

/** False for a member of an open account. The database refuses it unless another operator proposed it. */
export async function eraseMember(tx: Transaction, erasure: MemberErasure): Promise<boolean> {
  const { proposalId, subject, email, emailHmac, rows: ids, at } = erasure;
  const { rows } = await tx.query<{ erased: boolean }>(
    'select kelpie.operator_erase_member($1, $2, $3, $4, $5, $6) as erased',
    [proposalId, subject, email, emailHmac, ids, at],
  );
  return rows[0]?.erased === true;
}

interface RecipientErasure {
  proposalId: string;
  /** The one that was named first. */
  payoutIds: readonly string[];
  at: Date;
}

/** Null where one of them is not final. The database refuses it unless another operator proposed it. */
export async function eraseRecipient(
  tx: Transaction,
  { proposalId, payoutIds, at }: RecipientErasure,
): Promise<number | null> {
  const { rows } = await tx.query<{ erased: number }>('select kelpie.operator_erase_recipient($1, $2, $3) as erased', [
    proposalId,
    payoutIds,
    at,
  ]);
  const erased = rows[0]?.erased ?? -1;
  return erased < 0 ? null : erased;
}
