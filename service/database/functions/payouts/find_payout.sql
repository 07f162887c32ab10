-- Retrieves a payout in any state, also those that the API never shows ('sending', 'not_created'). The caller decides what
-- to show. Only row security limits it to the partner and environment.
-- Callers: everyone
create or replace function kelpie.find_payout(of_partner uuid, of_environment kelpie.environment, of_payout uuid)
  returns setof kelpie.payouts
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query select * from kelpie.payouts p where p.id = of_payout;
end;
$$;
