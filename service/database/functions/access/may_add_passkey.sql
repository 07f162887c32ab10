-- Whether a session may add a passkey: one in which its person used a passkey may. One without may add the first, which an
-- emailed code has confirmed; where the account requires passkeys only for 72 hours after the member was added, or after two
-- operators removed the earlier ones. So a mailbox alone never adds one beside others.
-- Owner: kelpie_access
-- Callers: none
create or replace function kelpie.may_add_passkey(of_session uuid, at timestamptz) returns boolean
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from kelpie.sessions s
    join kelpie.members m on m.partner_id = s.partner_id and m.email = s.email
    join kelpie.partners p on p.id = s.partner_id
    where s.id = of_session and s.revoked_at is null and case
      when exists (select from kelpie.passkeys k where k.partner_id = s.partner_id and k.email = s.email)
        then s.passkey_at is not null
      else not p.require_passkeys or greatest(m.created_at, m.passkeys_reset_at) > at - interval '72 hours'
    end
  );
end;
$$;
