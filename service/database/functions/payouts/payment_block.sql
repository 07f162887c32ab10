-- The one rule for "may this partner pay". One row: null where it may, otherwise the outcome that create_payouts answers with:
--   partner_not_active   by the partner's status, or by a block of the partner
--   recovery             the rail is closed until our records are whole again
--   rail_paused          an operator or too many odd differences paused the rail
-- A partner that is still being verified already pays in its sandbox. What concerns the partner itself comes first.
-- A table function, because PostgreSQL inlines it into create_payouts, where it costs two looks into small indexes.
-- Callers: kelpie_payouts
create or replace function kelpie.payment_block(
  partner_status text, of_partner uuid, of_environment kelpie.environment, on_rail kelpie.rail
) returns table (outcome text)
  language sql stable
as $$
  select case
    when not (partner_status = 'active' or (partner_status = 'onboarding' and of_environment = 'sandbox')) or exists (
      select from kelpie.payment_blocks b
      where b.partner_id = of_partner and (b.environment is null or b.environment = of_environment)
    ) then 'partner_not_active'
    else (select b.cause from kelpie.payment_blocks b where b.rail = on_rail order by b.cause = 'recovery' desc limit 1)
  end
$$;
