-- Ends the low limit of a new API key before its day is over, as another admin than the one who created it wishes.
-- Guarantees: nobody lifts the limit of a key that they created, or of which it is not known who did.
-- Returns `lifted`, or why not: `own`, `not_found` (no key of the partner that has such a limit now) or `not_admin`.
-- Locks: the key.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.lift_key_limit(of_key uuid, of_session uuid, at timestamptz) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
  person text;
  creator text;
begin
  select s.email into person from kelpie.sessions s
  join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id and m.role = 'admin'
  where s.id = of_session and s.partner_id = of_partner and s.revoked_at is null;
  if not found then
    return 'not_admin';
  end if;
  select k.created_by into creator from kelpie.api_keys k
  where k.id = of_key and k.partner_id = of_partner
    and k.revoked_at is null and k.full_limit_at > at for update;
  if not found then
    return 'not_found';
  end if;
  if creator is null or creator = person then
    return 'own';
  end if;
  update kelpie.api_keys k set full_limit_at = null where k.id = of_key;
  return 'lifted';
end;
$$;
