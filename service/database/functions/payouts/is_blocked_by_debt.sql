-- Whether a debt is all that keeps a partner from paying in an environment: then the refusal names the debt. Why else it may not pay is
-- between the partner and support.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.is_blocked_by_debt(of_partner uuid, of_environment kelpie.environment) returns boolean
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from kelpie.partners p join kelpie.debts d on d.partner_id = p.id
    where p.id = of_partner and d.environment = of_environment and d.owed_micro_usdc > 0
      and (p.status = 'active' or (p.status = 'onboarding' and of_environment = 'sandbox'))
  ) and not exists (
    select from kelpie.payment_blocks b
    where b.partner_id = of_partner and (b.environment is null or b.environment = of_environment) and b.cause <> 'debt'
  );
end;
$$;
