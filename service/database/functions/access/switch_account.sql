-- Switches a session to another account of the same person: revokes the old session and opens a new one. Both accounts get a
-- security event: who left, and who came.
-- Guarantees: one session becomes at most one other, however many requests arrive at once. The new session keeps the old
--   one's creation time, so switching never extends the 12 hours.
-- Locks: the member of the new account, then the old session.
-- Returns no row when the session has expired or was revoked, or the person isn't a member of that account.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.switch_account(
  session kelpie.new_session, of_slug text, entered_event_id uuid, at timestamptz
) returns table (partner_id uuid, created_at timestamptz)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  old record;
  wanted uuid;
begin
  select s.id, s.partner_id, s.email, s.created_at into old
  from kelpie.sessions s join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id
  where s.token_hmac = session.old_token_hmac and s.revoked_at is null
    and s.created_at > at - interval '12 hours' and s.last_seen_at > at - interval '30 minutes';
  if not found then
    return;
  end if;
  -- Lock the member before the sessions, as removing a member does: the two would deadlock otherwise.
  select m.partner_id into wanted from kelpie.members m
  where m.email = old.email and m.partner_id = (select p.id from kelpie.partners p where p.slug = of_slug)
  for no key update;
  if not found then
    return;
  end if;
  -- Of several concurrent requests, only the first still finds the session unrevoked.
  update kelpie.sessions s set revoked_at = at where s.id = old.id and s.revoked_at is null;
  if not found then
    return;
  end if;
  update kelpie.members m set last_login_at = at where m.email = old.email and m.partner_id = wanted;
  insert into kelpie.sessions (id, partner_id, email, token_hmac, created_at, last_seen_at, network, browser)
  values (session.id, wanted, old.email, session.token_hmac, old.created_at, at, session.network, session.browser);
  insert into kelpie.security_events (id, partner_id, action, status, by, network, browser)
  values (session.request_id, old.partner_id, 'login.end', 200, old.email, session.network, session.browser),
    (entered_event_id, wanted, 'login.verify', 200, old.email, session.network, session.browser);
  return query select wanted, old.created_at;
end;
$$;
