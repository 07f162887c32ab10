-- Deletes all passkeys of a member and ends their sessions of the account. For operator_reset_passkeys, which has decided that it
-- may happen. For 72 hours from then, the member can add a first passkey also where the account requires one.
-- Locks: the member, then the sessions in the order of their ids, as ending them does.
-- Returns how many passkeys it deleted; null where there is no such member.
-- Owner: kelpie_access
-- Callers: kelpie_payouts
create or replace function kelpie.forget_passkeys(of_partner uuid, of_email text, at timestamptz) returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  deleted integer;
begin
  update kelpie.members m set passkeys_reset_at = at where m.partner_id = of_partner and m.email = of_email;
  if not found then
    return null;
  end if;
  perform from kelpie.sessions s
  where s.partner_id = of_partner and s.email = of_email and s.revoked_at is null order by s.id for no key update;
  update kelpie.sessions s set revoked_at = at
  where s.partner_id = of_partner and s.email = of_email and s.revoked_at is null;
  delete from kelpie.passkeys k where k.partner_id = of_partner and k.email = of_email;
  get diagnostics deleted = row_count;
  return deleted;
end;
$$;
