-- The one rule for "may this partner pay": null where it may, otherwise the outcome that create_payouts answers with.
-- A partner that is still being verified already pays in its sandbox.
-- Callers: everyone
create or replace function kelpie.payment_block(
  partner_status text, environment kelpie.environment, is_rail_paused boolean
) returns text
  language sql immutable parallel safe
  return case
    when not (partner_status = 'active' or (partner_status = 'onboarding' and environment = 'sandbox'))
      then 'partner_not_active'
    when is_rail_paused then 'rail_paused'
  end;
