-- Finds a session that a code opened and whose person still has to use a passkey, by the digest of its token.
-- It bypasses row security, because the partner isn't known before the session is found.
-- Returns no row for any other session. may_add says whether the person may add a first passkey in it.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.find_unproven_session(of_token_hmac bytea, at timestamptz)
  returns table (id uuid, partner_id uuid, email text, has_passkey boolean, may_add boolean)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select s.id, s.partner_id, s.email,
      exists (select from kelpie.passkeys k where k.partner_id = s.partner_id and k.email = s.email),
      kelpie.may_add_passkey(s.id, at)
    from kelpie.sessions s join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id
    where s.token_hmac = of_token_hmac and s.revoked_at is null and s.passkey_at is null
      and s.created_at > at - interval '12 hours' and s.last_seen_at > at - interval '30 minutes'
      and kelpie.needs_passkey(s.partner_id, s.email);
end;
$$;
