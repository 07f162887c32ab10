import type { DifferenceRow } from '../../ledger/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

const differencesSql = `
  select 'correction is not in the history of its case' as kind, coalesce(p.transfer_id, h.transfer_id)::text as what,
    coalesce(h.case_id::text, 'none') as expected, coalesce(p.cause_id::text, 'none') as found
  from (select distinct cause_id, transfer_id from kelpie.ledger_entries where reason = 'correction') p
  full join (
    select case_id, unnest(transfer_ids) as transfer_id from kelpie.case_history where what = 'corrected'
  ) h on h.case_id = p.cause_id and h.transfer_id = p.transfer_id
  where p.transfer_id is null or h.transfer_id is null
  limit $1`;

/** Every correction was booked for a case by an operator, and every one that a case names is in the ledger. */
export async function verifyCorrections(tx: Transaction, most: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(differencesSql, [most]);
  return rows;
}
