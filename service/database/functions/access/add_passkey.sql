-- Adds a passkey whose authenticator signed a challenge of this session, and uses the challenge up. The session counts as one
-- in which a passkey was used; the person's other sessions do not.
-- Guarantees: a challenge adds one passkey at most, within five minutes. At most ten passkeys per member. What may_add_passkey
--   says holds in this commit.
-- Locks: the member, then the session, then the challenge.
-- Returns `added`; `refused` where the challenge, the session or its right to add one is not there; `too_many`; or `known`
-- where somebody has that credential.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.add_passkey(
  of_challenge bytea, of_session uuid, new_id uuid, new_name text, new_credential bytea, new_public_key bytea,
  new_counter bigint, new_transports text[], at timestamptz
) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  own record;
begin
  select s.partner_id, s.email into own from kelpie.sessions s where s.id = of_session;
  -- Of two first passkeys that are added at once, the second one has to find the first.
  perform from kelpie.members m where m.partner_id = own.partner_id and m.email = own.email for no key update;
  perform from kelpie.sessions s where s.id = of_session for no key update;
  delete from kelpie.passkey_challenges c
  where c.challenge = of_challenge and c.session_id = of_session and c.purpose = 'add'
    and c.created_at > at - interval '5 minutes';
  if not found or not kelpie.may_add_passkey(of_session, at) then
    return 'refused';
  end if;
  if (select count(*) >= 10 from kelpie.passkeys k where k.partner_id = own.partner_id and k.email = own.email) then
    return 'too_many';
  end if;
  insert into kelpie.passkeys (
    id, partner_id, email, name, credential_id, public_key, counter, transports, created_at
  ) values (
    new_id, own.partner_id, own.email, new_name, new_credential, new_public_key, new_counter, new_transports, at
  ) on conflict (credential_id) do nothing;
  if not found then
    return 'known';
  end if;
  update kelpie.sessions s set passkey_at = at where s.id = of_session;
  return 'added';
end;
$$;
