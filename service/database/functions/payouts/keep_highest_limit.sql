-- Sets how far the admins of a partner can raise its limits. What is above it is lowered with it.
-- Locks: the wallet, then the limits.
-- Callers: kelpie_payouts
create or replace function kelpie.keep_highest_limit(of_partner uuid, of_environment kelpie.environment, to_pence bigint) returns void
  language plpgsql volatile
as $$
declare
  now record;
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  perform kelpie.lock_wallet(of_partner, of_environment);
  select l.daily_pence, l.new_payee_pence, l.is_set into now from kelpie.limits_of(of_partner, of_environment) l;
  insert into kelpie.spending_limits (partner_id, environment, daily_pence, new_payee_pence, highest_daily_pence)
  values (
    of_partner, of_environment, case when now.daily_pence is not null then least(now.daily_pence, to_pence) end,
    case when now.new_payee_pence is not null then least(now.new_payee_pence, to_pence) end, to_pence
  )
  on conflict (partner_id, environment) do update
  set daily_pence = excluded.daily_pence, new_payee_pence = excluded.new_payee_pence,
    highest_daily_pence = excluded.highest_daily_pence;
  if of_environment = 'sandbox' and not now.is_set then
    perform kelpie.find_paid_accounts(of_partner, of_environment);
  end if;
end;
$$;
