-- Records that a passkey of the session's person signed a challenge of the session, and uses the challenge up: the session
-- counts as proven, or what the challenge confirms does. The caller has verified the signature.
-- Guarantees: a challenge counts once, within five minutes, and for nothing but its purpose. A counter that does not grow
--   counts for nothing: the authenticator was copied.
-- Locks: the session, the challenge, the passkey, then the confirmation.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.use_passkey(
  of_challenge bytea, of_session uuid, of_purpose text, of_credential bytea, new_counter bigint, at timestamptz
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  own record;
  confirmation uuid;
begin
  select s.partner_id, s.email into own from kelpie.sessions s
  where s.id = of_session and s.revoked_at is null for no key update;
  delete from kelpie.passkey_challenges c
  where c.challenge = of_challenge and c.session_id = of_session and c.purpose = of_purpose and c.purpose <> 'add'
    and c.created_at > at - interval '5 minutes'
  returning c.confirmation_id into confirmation;
  if not found then
    return false;
  end if;
  update kelpie.passkeys k set counter = new_counter, last_used_at = at
  where k.credential_id = of_credential and k.partner_id = own.partner_id and k.email = own.email
    and (new_counter > k.counter or (new_counter = 0 and k.counter = 0));
  if not found then
    return false;
  end if;
  if of_purpose = 'sign_in' then
    update kelpie.sessions s set passkey_at = at where s.id = of_session;
  else
    update kelpie.payout_confirmations c set proven_at = at where c.id = confirmation and c.session_id = of_session and c.used_at is null;
  end if;
  return found;
end;
$$;
