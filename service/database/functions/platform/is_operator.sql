-- Whether a login is an operator's: a member of kelpie_operator itself. pg_has_role would also accept superusers and the role
-- kelpie_operator, and neither is a person.
-- Callers: everyone
create or replace function kelpie.is_operator(login text) returns boolean
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from pg_auth_members m
    where m.roleid = (select r.oid from pg_roles r where r.rolname = 'kelpie_operator')
      and m.member = (select r.oid from pg_roles r where r.rolname = login)
  )
$$;
