-- Opens a session for a member whose code was right, with its security event, in one commit with what uses the code up.
-- The session replaces the one that the browser had before, and the browser is remembered.
-- Locks: the member, then the browser's old session, then the browser.
-- Returns no row when the member was removed meanwhile. Otherwise whether the browser keeps its cookie, and whether it is
--   new to a person who has signed in before: then the person is emailed.
-- Owner: kelpie_access
-- Callers: none
create or replace function kelpie.begin_session(
  of_partner uuid, of_email text, of_email_hmac bytea, session kelpie.new_session, at timestamptz
) returns table (keeps_browser boolean, is_new_browser boolean)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  has_signed_in boolean;
  browser record;
begin
  has_signed_in := exists (select from kelpie.members m where m.email = of_email and m.last_login_at is not null);
  -- Lock the member before the sessions, as removing a member does: the two would deadlock otherwise.
  update kelpie.members m set last_login_at = at where m.email = of_email and m.partner_id = of_partner;
  if not found then
    return;
  end if;
  update kelpie.sessions s set revoked_at = at where s.token_hmac = session.old_token_hmac and s.revoked_at is null;
  insert into kelpie.sessions (id, partner_id, email, token_hmac, created_at, last_seen_at, network, browser)
  values (session.id, of_partner, of_email, session.token_hmac, at, at, session.network, session.browser);
  insert into kelpie.security_events (id, partner_id, action, status, by, network, browser)
  values (session.request_id, of_partner, 'login.verify', 200, of_email, session.network, session.browser);
  select r.is_known, r.keeps_cookie into browser from kelpie.remember_browser(
    of_email_hmac, session.browser_hmac, session.new_browser_id, session.new_browser_hmac, at
  ) r;
  return query select browser.keeps_cookie, has_signed_in and not browser.is_known;
end;
$$;
