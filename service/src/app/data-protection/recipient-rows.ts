import type { Transaction } from '../../platform/database/transaction.ts';

export interface RecipientRow {
  id: string;
  partner_id: string;
  environment: string;
  state: string;
  amount_pence: string;
  reference: string | null;
  recipient_name: string | null;
  recipient_encrypted: Buffer | null;
  erased_at: Date | null;
}

const mostPayouts = 100_000;

/**
 * A payout, first, and every other of its partner and environment to the same account under the same name. Empty where there is
 * no such payout. Runs as kelpie_reader, without a deadline: it reads all of the partner's payouts.
 */
export async function listRecipientRows(tx: Transaction, payoutId: string): Promise<RecipientRow[]> {
  const { rows } = await tx.query<RecipientRow>(
    `select p.id, p.partner_id, p.environment, p.state, p.amount_pence, p.reference, p.recipient_name,
       p.recipient_encrypted, p.erased_at
     from kelpie.payouts named
     join kelpie.payouts p on p.partner_id = named.partner_id and p.environment = named.environment
       and (p.id = named.id or p.account_index = named.account_index)
     where named.id = $1 order by p.id <> named.id, p.id limit $2`,
    [payoutId, mostPayouts + 1],
  );
  if (rows.length > mostPayouts) throw new Error(`more than ${mostPayouts} payouts to one recipient`);
  return rows;
}
