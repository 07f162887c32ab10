-- Whether a member has to use a passkey: the member has one, or the account requires one of everyone.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.needs_passkey(of_partner uuid, of_email text) returns boolean
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (select from kelpie.passkeys k where k.partner_id = of_partner and k.email = of_email)
    or exists (select from kelpie.partners p where p.id = of_partner and p.require_passkeys);
end;
$$;
