-- The part of post_transfers by which money that comes to a wallet first pays what its partner owes: of an entry that credits
-- a wallet, as much as is owed goes to partner_receivable. Transfers of one partner take their turn in order of arrival. One
-- that says itself what it repays is left as it is.
--
-- Guarantees: a wallet holds nothing while its partner owes something. The bank's wallet lacks just what is owed.
-- Returns the entries to post, numbered in order.
-- Locks: debts, in the order of their key. Call it with the wallets locked.
-- Callers: kelpie_ledger
create or replace function kelpie.repay_debts(
  transfer_ids uuid[],
  lines smallint[],
  partner_ids uuid[],
  environments kelpie.environment[],
  accounts kelpie.ledger_account[],
  amounts bigint[],
  reasons text[],
  cause_ids uuid[]
) returns table (
  place bigint,
  transfer_id uuid,
  line smallint,
  partner_id uuid,
  environment kelpie.environment,
  account kelpie.ledger_account,
  amount bigint,
  reason text,
  cause_id uuid
)
  language plpgsql volatile
as $$
#variable_conflict use_column
begin
  perform from kelpie.debts d
  where d.owed_micro_usdc > 0 and (d.partner_id, d.environment) in (
    select e.partner_id, e.environment from unnest(partner_ids, environments) as e (partner_id, environment)
  )
  order by d.partner_id, d.environment
  for no key update;
  return query
  with entries as (
    select * from unnest(transfer_ids, lines, partner_ids, environments, accounts, amounts, reasons, cause_ids)
      with ordinality as e (transfer_id, line, partner_id, environment, account, amount, reason, cause_id, arrival)
  ),
  credits as (
    select e.arrival, e.transfer_id, -e.amount as credit, d.owed_micro_usdc as owed,
      (sum(-e.amount) over (partition by e.partner_id, e.environment order by e.arrival) + e.amount)::bigint as credited_before
    from entries e
    join kelpie.debts d on d.partner_id = e.partner_id and d.environment = e.environment and d.owed_micro_usdc > 0
    where e.account = 'wallet' and e.amount < 0 and not exists (
      select from entries o where o.transfer_id = e.transfer_id and o.account = 'partner_receivable'
    )
  ),
  repayments as (
    select c.arrival, c.transfer_id, c.credit, least(c.credit, greatest(c.owed - c.credited_before, 0)) as repays
    from credits c
  ),
  posted as (
    -- The wallet's own entry: less what it repays, or turned into the repayment where nothing is left.
    select e.arrival, 0 as nth, e.transfer_id, e.line, e.partner_id, e.environment,
      case when r.repays = r.credit then 'partner_receivable' else e.account end as account,
      case when r.repays < r.credit then e.amount + r.repays else e.amount end as amount, e.reason, e.cause_id
    from entries e left join repayments r on r.arrival = e.arrival
    union all
    select e.arrival, 1, e.transfer_id,
      (select (max(o.line) + 1)::smallint from entries o where o.transfer_id = e.transfer_id), e.partner_id, e.environment,
      'partner_receivable', -r.repays, e.reason, e.cause_id
    from entries e join repayments r on r.arrival = e.arrival
    where r.repays > 0 and r.repays < r.credit
  )
  select row_number() over (order by p.arrival, p.nth), p.transfer_id, p.line, p.partner_id, p.environment, p.account,
    p.amount, p.reason, p.cause_id
  from posted p;
end;
$$;
