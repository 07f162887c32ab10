-- Uses up a sign-up code and opens the first session of the new business, in the transaction that creates the business.
-- It also revokes the session that the browser had before, and remembers the browser.
-- Locks: the code, then the member, then the browser's old session, then the browser.
-- Returns no row, and changes nothing, when the code was used in the meantime. The caller must then roll back.
--   Otherwise the columns of begin_session.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.open_first_session(
  of_code uuid, of_partner uuid, of_email text, of_email_hmac bytea, session kelpie.new_session, at timestamptz
) returns table (keeps_browser boolean, is_new_browser boolean)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.sign_in_codes c set used_at = at where c.id = of_code and c.used_at is null;
  if not found then
    return;
  end if;
  return query select * from kelpie.begin_session(of_partner, of_email, of_email_hmac, session, at);
  if not found then
    raise exception 'the first session requires a member of the new partner';
  end if;
end;
$$;
