-- A month's movements of a wallet from a number on. Each has the reference of the payout that it was for, and its id where
-- the partner sees that payout; or the id of the deposit that it was for.
-- Callers: everyone
create or replace function kelpie.list_wallet_movements(
  of_partner uuid, of_environment kelpie.environment, began_at timestamptz, ended_at timestamptz, from_number bigint,
  before_number bigint, at_most integer
) returns table (
  number bigint, transfer_id uuid, reason text, change bigint, balance bigint, payout_id uuid, deposit_id uuid, reference text
)
  language plpgsql volatile
as $$
#variable_conflict use_column
declare
  scanned_from uuid := kelpie.first_id_at(began_at - interval '1 day');
  scanned_to uuid := kelpie.first_id_at(ended_at + interval '1 day');
  -- By numbers, which have no gaps, and not by a limit: with few partners the planner takes a month for a handful of rows,
  -- and would read and sort all of it for every page.
  upto_number bigint := least(before_number, from_number + at_most);
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select e.wallet_version, e.transfer_id, e.reason, -e.amount, e.wallet_balance_after,
      case when kelpie.is_visible(p.state) then p.id end,
      case when e.reason in ('deposit.credited', 'deposit.reversed') then e.cause_id end, p.reference
    from (
      select * from kelpie.ledger_entries each
      where each.partner_id = of_partner and each.environment = of_environment and each.account = 'wallet'
        and each.wallet_version >= from_number and each.wallet_version < upto_number
        and each.transfer_id >= scanned_from and each.transfer_id < scanned_to
    ) e
    -- One by one, by id: each look-up reads one partition, and nothing that is not on the page.
    left join lateral (
      select each.id, each.state, each.reference from kelpie.payouts each
      where each.id = e.cause_id and each.partner_id = of_partner and each.environment = of_environment
      limit 1
    ) p on true
    order by e.wallet_version;
end;
$$;
