-- Switches a session to another account of the same person: revokes the old session and opens a new one.
-- Guarantees: one session becomes at most one other, however many requests arrive at once. The new session keeps the old
--   one's creation time, so switching never extends the 12 hours.
-- Locks: the member of the new account, then the old session.
-- Returns no row when the session has expired or was revoked, or the person isn't a member of that account.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.switch_account(
  of_token_hmac bytea, of_slug text, at timestamptz, new_session_id uuid, new_token_hmac bytea
) returns table (partner_id uuid, created_at timestamptz)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  session record;
  wanted uuid;
begin
  select s.id, s.email, s.created_at into session
  from kelpie.sessions s join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id
  where s.token_hmac = of_token_hmac and s.revoked_at is null
    and s.created_at > at - interval '12 hours' and s.last_seen_at > at - interval '30 minutes';
  if not found then
    return;
  end if;
  -- Lock the member before the sessions, as removing a member does: the two would deadlock otherwise.
  select m.partner_id into wanted from kelpie.members m
  where m.email = session.email and m.partner_id = (select p.id from kelpie.partners p where p.slug = of_slug)
  for no key update;
  if not found then
    return;
  end if;
  -- Of several concurrent requests, only the first still finds the session unrevoked.
  update kelpie.sessions s set revoked_at = at where s.id = session.id and s.revoked_at is null;
  if not found then
    return;
  end if;
  update kelpie.members m set last_login_at = at where m.email = session.email and m.partner_id = wanted;
  insert into kelpie.sessions (id, partner_id, email, token_hmac, created_at, last_seen_at)
  values (new_session_id, wanted, session.email, new_token_hmac, session.created_at, at);
  return query select wanted, session.created_at;
end;
$$;
