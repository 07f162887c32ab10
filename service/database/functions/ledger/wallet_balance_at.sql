-- What a wallet held after its movement of a number, posted before an id (null for any). Null where there is no such movement, and
-- for one in the archive, unless it was the last of its reason in its month.
-- Callers: everyone
create or replace function kelpie.wallet_balance_at(
  of_partner uuid, of_environment kelpie.environment, number bigint, before_id uuid
) returns bigint
  language plpgsql stable
  set plan_cache_mode = auto
as $$
declare
  upto_id uuid := coalesce(before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  return coalesce(
    (
      select e.wallet_balance_after from kelpie.ledger_entries e
      where e.partner_id = of_partner and e.environment = of_environment and e.account = 'wallet'
        and e.wallet_version = number and e.transfer_id < upto_id
      order by e.transfer_id limit 1
    ),
    (
      select c.held_after from kelpie.carried_entries c
      where c.partner_id = of_partner and c.environment = of_environment and c.account = 'wallet'
        and c.last_version = number and c.transfer_id < upto_id
        and exists (select from kelpie.archived_months m where m.month = c.month and m.left_at is not null)
      order by c.transfer_id limit 1
    )
  );
end;
$$;
