-- Uses up a sign-up code and opens the first session of the new business, in the transaction that creates the business.
-- It also revokes the session that the browser had before.
-- Locks: the code, then the member, then the browser's old session.
-- Returns false, and changes nothing, when the code was used in the meantime. The caller must then roll back.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.open_first_session(
  of_code uuid, of_partner uuid, of_email text, at timestamptz, new_session_id uuid, new_token_hmac bytea,
  old_token_hmac bytea
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.sign_in_codes c set used_at = at where c.id = of_code and c.used_at is null;
  if not found then
    return false;
  end if;
  update kelpie.members m set last_login_at = at where m.email = of_email and m.partner_id = of_partner;
  if not found then
    raise exception 'the first session requires a member of the new partner';
  end if;
  update kelpie.sessions s set revoked_at = at where s.token_hmac = old_token_hmac and s.revoked_at is null;
  insert into kelpie.sessions (id, partner_id, email, token_hmac, created_at, last_seen_at)
  values (new_session_id, of_partner, of_email, new_token_hmac, at, at);
  return true;
end;
$$;
