-- Returns whether an email address is a member of any partner.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.is_member(of_email text) returns boolean
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (select from kelpie.members m where m.email = of_email);
end;
$$;
