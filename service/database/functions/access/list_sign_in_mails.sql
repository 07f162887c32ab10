-- Lists the sign-in codes whose email is not queued yet, newest first, one page at a time.
-- Continue with the last id of a page as `before`.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.list_sign_in_mails(before uuid, at_most integer) returns setof uuid
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select c.id from kelpie.sign_in_codes c
    where c.mail_encrypted is not null and c.id < before order by c.id desc limit at_most;
end;
$$;
