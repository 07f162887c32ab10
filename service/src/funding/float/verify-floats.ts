import type { DifferenceRow, IdSpan } from '../../ledger/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

/** The moves of a span: those that were begun in it, and older ones for which something was posted in it. */
const movesSql = `
  with posted as (
    select distinct transfer_id, cause_id, partner_id, environment from kelpie.ledger_entries
    where transfer_id >= $1 and transfer_id < $2 and reason like 'float.%'
  ),
  touched as (
    select m.*, m.kind = 'top_up' as is_top_up, m.amount_micro_usdc as amount from kelpie.float_moves m
    where m.id >= $1 and m.id < $2 or m.id in (select cause_id from posted where cause_id < $1)
  ),
  compared as (
    select m.id, row(
        case when state = 'failed' or (state = 'open' and not is_top_up) then 0 when is_top_up then -amount else amount end,
        case when state = 'failed' or (state = 'open' and is_top_up) then 0 when is_top_up then amount else -amount end,
        case state when 'open' then amount else 0 end
      )::text as expected, b.found
    from touched m
    cross join lateral (
      select row(
        coalesce(sum(e.amount) filter (where e.account = 'house_float'), 0),
        coalesce(sum(e.amount) filter (where e.account = 'bank_wallet'), 0),
        coalesce(sum(e.amount) filter (where e.account = 'float_in_transit'), 0)
      )::text as found
      from unnest(m.transfer_ids) as t (id) join kelpie.ledger_entries e on e.transfer_id = t.id
      where e.cause_id = m.id and e.partner_id = m.partner_id and e.environment = m.environment
    ) b
  )
  select 'move of the float is not what was booked for it' as kind, id || ' (house float, bank wallet, in transit)' as what,
    expected, found
  from compared where expected <> found
  union all
  select 'entries of no move of the float', e.transfer_id::text, 'none', e.cause_id::text
  from posted e
  where (select count(*) from kelpie.float_moves m
    where m.id = e.cause_id and m.partner_id = e.partner_id and m.environment = e.environment
      and e.transfer_id = any (m.transfer_ids)) = 0
  limit $3`;

/** Holds moves of the float against the ledger: what was booked for each follows from its kind, amount and state. */
export async function verifyFloats(tx: Transaction, span: IdSpan, most: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(movesSql, [span.first, span.before, most]);
  return rows;
}

/** Before anything was added up there is nothing to compare. */
const sumsSql = `
  with kept as (
    select partner_id, environment, account, sum(amount) as amount
    from (
      select partner_id, environment, account, sum_micro_usdc as amount from kelpie.house_sums
      union all
      select partner_id, environment, account, amount from kelpie.house_changes
    ) every
    where exists (select from kelpie.house_sums) group by partner_id, environment, account
  ),
  booked as (
    select partner_id, environment, account, sum(amount) as amount from kelpie.booked_entries
    where account = any (kelpie.house_accounts()) group by partner_id, environment, account
  )
  select 'sum that is kept is not that of the entries' as kind, partner_id || ' ' || environment || ' ' || account as what,
    coalesce(b.amount, 0)::text as expected, coalesce(k.amount, 0)::text as found
  from kept k full join booked b using (partner_id, environment, account)
  where coalesce(k.amount, 0) <> coalesce(b.amount, 0) and exists (select from kelpie.house_sums)
  union all
  select 'debt is not the sum of its entries', partner_id || ' ' || environment, coalesce(b.amount, 0)::text,
    coalesce(d.owed_micro_usdc, 0)::text
  from kelpie.debts d
  full join (select * from booked where account = 'partner_receivable') b using (partner_id, environment)
  where coalesce(d.owed_micro_usdc, 0) <> coalesce(b.amount, 0)
  limit $1`;

/** Holds the sums that are kept beside the ledger against all of its entries. It reads the whole ledger. */
export async function verifyKeptSums(tx: Transaction, most: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(sumsSql, [most]);
  return rows;
}
