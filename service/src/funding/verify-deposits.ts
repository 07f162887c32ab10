import type { DifferenceRow, IdSpan } from '../ledger/index.ts';
import type { Transaction } from '../platform/database/transaction.ts';

/** The deposits of a span: those that were listed first in it, and older ones for which something was posted in it. */
const differencesSql = `
  with posted as (
    select distinct transfer_id, cause_id, partner_id, environment from kelpie.ledger_entries
    where transfer_id >= $1 and transfer_id < $2 and reason in ('deposit.credited', 'deposit.reversed')
  ),
  touched as (
    select d.* from kelpie.deposits d
    where d.id >= $1 and d.id < $2 or d.id in (select cause_id from posted where cause_id < $1)
  ),
  compared as (
    select d.id, row(d.bank_wallet, d.owed, -d.bank_wallet - d.owed)::text as expected, b.found
    from (
      select id, partner_id, environment, owed_micro_usdc - repaid_micro_usdc as owed,
        case when credited_at is null then 0 else net_micro_usdc - coalesce(reversed_micro_usdc, 0) end as bank_wallet
      from touched
    ) d
    cross join lateral (
      select row(
        coalesce(sum(e.amount) filter (where e.account = 'bank_wallet'), 0),
        coalesce(sum(e.amount) filter (where e.account = 'partner_receivable'), 0),
        coalesce(sum(e.amount) filter (where e.account = 'wallet'), 0)
      )::text as found
      from kelpie.deposit_history h join kelpie.ledger_entries e on e.transfer_id = h.transfer_id
      where h.deposit_id = d.id and e.cause_id = d.id and e.partner_id = d.partner_id and e.environment = d.environment
    ) b
  )
  select 'entries of no deposit' as kind, transfer_id::text as what, 'none' as expected, cause_id::text as found
  from posted e
  where (select count(*) from kelpie.deposits d
    where d.id = e.cause_id and d.partner_id = e.partner_id and d.environment = e.environment) = 0
  union all
  select 'deposit is not what was booked for it', id || ' (bank wallet, owed, wallet)', expected, found
  from compared where found <> expected
  union all
  select 'transfer is not in the history of its deposit', transfer_id::text, 'its history names it', cause_id::text
  from posted e
  where (select count(*) from kelpie.deposit_history h where h.deposit_id = e.cause_id and h.transfer_id = e.transfer_id) <> 1
  union all
  select 'transfer of a deposit was not posted', h.transfer_id::text, d.id::text, 'none'
  from touched d join kelpie.deposit_history h on h.deposit_id = d.id and h.transfer_id is not null
  where (select count(*) from kelpie.ledger_entries e where e.transfer_id = h.transfer_id and e.cause_id = d.id) = 0
  limit $3`;

/** Holds deposits against the ledger: what was credited and reversed is what the deposit says, and nothing else was. */
export async function verifyDeposits(tx: Transaction, span: IdSpan, most: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(differencesSql, [span.first, span.before, most]);
  return rows;
}
