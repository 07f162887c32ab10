-- Finds the session with this token digest. That it was used is recorded later, by record_uses.
-- A session lasts 12 hours, and expires after 30 minutes without a request. A removed member's session is not found,
-- nor one of a person who still has to use a passkey in it.
-- Returns also what the MACs of the session and of the member are over, for the caller to check.
-- It bypasses row security, because the partner isn't known before the session is found.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.find_session(of_token_hmac bytea, at timestamptz)
  returns table (
    id uuid, partner_id uuid, email text, role text, has_live boolean, created_at timestamptz, mac bytea, member_mac bytea
  )
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select s.id, s.partner_id, s.email, m.role, exists (
      select from kelpie.partner_environments e where e.partner_id = s.partner_id and e.environment = 'live'
    ), s.created_at, s.mac, m.mac
    from kelpie.sessions s join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id
    where s.token_hmac = of_token_hmac and s.revoked_at is null
      and s.created_at > at - interval '12 hours' and s.last_seen_at > at - interval '30 minutes'
      and (s.passkey_at is not null or not kelpie.needs_passkey(s.partner_id, s.email));
end;
$$;
