-- Sets the partner and environment whose rows the transaction may see, until it ends.
-- Functions that are a whole transaction in one call start with it.
-- It is PL/pgSQL because that caches plans: an SQL function would be planned again at every call.
-- Callers: everyone
create or replace function kelpie.set_partner_context(partner uuid, of_environment kelpie.environment) returns void
  language plpgsql volatile
as $$
declare
  said text;
begin
  said := set_config('kelpie.partner_id', partner::text, true);
  said := set_config('kelpie.environment', of_environment::text, true);
end;
$$;
