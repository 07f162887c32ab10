-- Records what an authenticator is asked to sign. `of_confirmation` is what it confirms; null at sign-in and for a new passkey.
-- Guarantees: at most ten per session, the newest ones. A session that was ended gets none.
-- Locks: the session.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.add_passkey_challenge(
  new_challenge bytea, of_session uuid, of_purpose text, of_confirmation uuid, at timestamptz
) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform from kelpie.sessions s where s.id = of_session for no key update;
  delete from kelpie.passkey_challenges c where c.challenge in (
    select o.challenge from kelpie.passkey_challenges o where o.session_id = of_session
    order by o.created_at desc, o.challenge offset 9
  );
  insert into kelpie.passkey_challenges (challenge, partner_id, session_id, purpose, confirmation_id, created_at)
  select new_challenge, s.partner_id, s.id, of_purpose, of_confirmation, at
  from kelpie.sessions s where s.id = of_session and s.revoked_at is null;
end;
$$;
