-- Finds the session with this token digest and updates its last_seen_at, at most once a minute.
-- A session lasts 12 hours, and expires after 30 minutes without a request. A removed member's session is not found.
-- It bypasses row security, because the partner isn't known before the session is found.
-- Recording the use never delays a request. The commit doesn't wait for the standby: every request would fail while the
--   standby is down. A row that another process has locked is skipped, and so is a server that takes no writes.
-- Locks: the session's row when its use is recorded, only if it is free.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.find_session(of_token_hmac bytea, at timestamptz)
  returns table (id uuid, partner_id uuid, email text, role text, has_live boolean)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  session record;
begin
  select s.id, s.partner_id, s.email, s.last_seen_at, m.role into session
  from kelpie.sessions s join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id
  where s.token_hmac = of_token_hmac and s.revoked_at is null
    and s.created_at > at - interval '12 hours' and s.last_seen_at > at - interval '30 minutes';
  if not found then
    return;
  end if;
  if session.last_seen_at < at - interval '1 minute' and current_setting('transaction_read_only') = 'off' then
    perform set_config('synchronous_commit', 'off', true);
    update kelpie.sessions s set last_seen_at = at
    where s.id = (select free.id from kelpie.sessions free where free.id = session.id for no key update skip locked)
      and s.last_seen_at < at - interval '1 minute';
  end if;
  return query
    select session.id, session.partner_id, session.email, session.role, exists (
      select from kelpie.partner_environments e where e.partner_id = session.partner_id and e.environment = 'live'
    );
end;
$$;
