import type { Transaction } from '../database.ts';
import type { KycLink } from '../verification/kyc-link.ts';

const shown = 10;

export type ShownVerification = Pick<
  KycLink,
  'id' | 'created_at' | 'full_name' | 'email' | 'kyc_status' | 'tos_status'
>;

export async function listNewestVerifications(tx: Transaction): Promise<ShownVerification[]> {
  const { rows } = await tx.query<ShownVerification>(
    `select id, created_at, full_name, email, kyc_status, tos_status from kyc_links order by seq desc limit $1`,
    [shown],
  );
  return rows;
}
