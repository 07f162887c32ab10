-- The limits of a partner's environment, the defaults where none were set. Null is no limit.
-- The only place of the defaults: in live 50,000.00 a day, 20,000.00 to a new payee, and no more without an operator.
-- One row. Not planned by itself: PostgreSQL inlines it into its caller, where it costs one look-up by key.
-- Callers: kelpie_payouts, kelpie_service, kelpie_reader
create or replace function kelpie.limits_of(of_partner uuid, of_environment kelpie.environment)
  returns table (daily_pence bigint, new_payee_pence bigint, highest_daily_pence bigint, is_set boolean)
  language sql stable
as $$
  select coalesce(l.daily_pence, standard.daily_pence), coalesce(l.new_payee_pence, standard.new_payee_pence),
    coalesce(l.highest_daily_pence, standard.daily_pence), l.partner_id is not null
  from (
    select case when of_environment = 'live' then 5000000 end::bigint as daily_pence,
      case when of_environment = 'live' then 2000000 end::bigint as new_payee_pence
  ) standard
  left join kelpie.spending_limits l on l.partner_id = of_partner and l.environment = of_environment
$$;
