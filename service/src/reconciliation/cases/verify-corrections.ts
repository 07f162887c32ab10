import type { DifferenceRow, IdSpan } from '../../ledger/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

const differencesSql = `
  select 'correction is not in the history of its case' as kind, coalesce(p.transfer_id, h.transfer_id)::text as what,
    coalesce(h.case_id::text, 'none') as expected, coalesce(p.cause_id::text, 'none') as found
  from (
    select distinct cause_id, transfer_id from kelpie.ledger_entries
    where transfer_id >= $1 and transfer_id < $2 and reason = 'correction'
  ) p
  full join (
    select case_id, transfer_id from kelpie.case_history cross join unnest(transfer_ids) as named (transfer_id)
    where what = 'corrected' and transfer_id >= $1 and transfer_id < $2
  ) h on h.case_id = p.cause_id and h.transfer_id = p.transfer_id
  where p.transfer_id is null or h.transfer_id is null
  limit $3`;

/** Every correction was booked for a case by an operator, and every one that a case names is in the ledger. */
export async function verifyCorrections(tx: Transaction, span: IdSpan, most: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(differencesSql, [span.first, span.before, most]);
  return rows;
}
