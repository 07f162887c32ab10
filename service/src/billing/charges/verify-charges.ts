import type { DifferenceRow, IdSpan } from '../../ledger/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

/** What a return costs is in the transfer of the return itself. A charge of nothing has no entries. */
const differencesSql = `
  with posted as (
    select transfer_id, partner_id, sum(amount) filter (where account = 'receivable') as pence
    from kelpie.ledger_entries
    where transfer_id >= $1 and transfer_id < $2
      and reason in ('charge.monthly_account', 'charge.business_verification', 'charge.bank_exceptions')
    group by transfer_id, partner_id having bool_and(line <= 2)
  ),
  recorded as (
    select c.partner_id, c.transfer_id, c.kind, c.occasion,
      case c.kind when 'monthly_account' then plan.monthly_pence when 'business_verification' then plan.verification_pence end as price
    from kelpie.single_charges c
    join kelpie.partner_environments e on e.partner_id = c.partner_id and e.environment = 'live'
    join kelpie.price_plans plan on plan.id = coalesce(
      (select x.to_plan from kelpie.price_plan_changes x
       where x.partner_id = c.partner_id and x.environment = 'live' and x.at <= c.at order by x.number desc limit 1),
      (select x.from_plan from kelpie.price_plan_changes x
       where x.partner_id = c.partner_id and x.environment = 'live' and x.at > c.at order by x.number limit 1),
      e.price_plan)
    where c.transfer_id >= $1 and c.transfer_id < $2
  )
  select 'charge is not what was recorded' as kind, coalesce(n.kind || ' ' || n.occasion, p.transfer_id::text) as what,
    coalesce(n.price::text, case when n.kind is null then 'none' else 'any' end) as expected, coalesce(p.pence::text, 'none') as found
  from recorded n full join posted p on p.transfer_id = n.transfer_id and p.partner_id = n.partner_id
  where n.kind is null or coalesce(p.pence, 0) <> coalesce(n.price, p.pence, 0)
  limit $3`;

/** Each charge besides payouts was recorded once, at the price of its plan, and is in the ledger. */
export async function verifyCharges(tx: Transaction, span: IdSpan, most: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(differencesSql, [span.first, span.before, most]);
  return rows;
}
