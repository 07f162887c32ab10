-- Sets limits of the transaction's partner and environment, as its admin wishes. Null is no limit, which the table allows in
-- a sandbox only.
-- Guarantees: neither passes what an operator allows. A batch that comes after the commit is judged by the new limits, and
--   one before it is not overtaken.
-- Returns false, and changes nothing, where one would pass it.
-- Locks: the wallet, then the limits.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.set_spending_limits(
  sets_daily boolean, new_daily bigint, sets_new_payee boolean, new_new_payee bigint
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
  of_environment kelpie.environment := kelpie.current_environment();
  now record;
begin
  perform kelpie.lock_wallet(of_partner, of_environment);
  select case when sets_daily then new_daily else l.daily_pence end as daily,
    case when sets_new_payee then new_new_payee else l.new_payee_pence end as new_payee,
    l.highest_daily_pence as highest, l.is_set
  into now
  from kelpie.limits_of(of_partner, of_environment) l;
  if now.daily > now.highest or now.new_payee > now.highest then
    return false;
  end if;
  insert into kelpie.spending_limits (partner_id, environment, daily_pence, new_payee_pence, highest_daily_pence)
  values (of_partner, of_environment, now.daily, now.new_payee, now.highest)
  on conflict (partner_id, environment) do update
  set daily_pence = excluded.daily_pence, new_payee_pence = excluded.new_payee_pence;
  if of_environment = 'sandbox' and not now.is_set then
    perform kelpie.find_paid_accounts(of_partner, of_environment);
  end if;
  return true;
end;
$$;
