-- Adds an event about a member of the transaction's partner, as the API shows that person now: call it after they were added,
-- and before they are removed. People belong to a partner as a whole, so it is in the events of `live`.
-- Guarantees: versions rise with each change of members, also of a person who is removed and added again.
-- Locks: the partner, which those who change its members have locked already.
-- Owner: kelpie_payouts
-- Callers: kelpie_service, kelpie_payouts
create or replace function kelpie.add_member_event(of_type kelpie.event_type, of_email text, at timestamptz) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_partner uuid := kelpie.current_partner();
  new_version integer;
begin
  update kelpie.partners p set member_changes = p.member_changes + 1
  where p.id = of_partner returning p.member_changes into new_version;
  perform kelpie.add_event(
    of_type, 'live',
    -- A member has no id of its own.
    encode(substr(sha256(convert_to(of_partner::text || ' ' || m.email, 'UTF8')), 1, 16), 'hex')::uuid,
    new_version, at,
    jsonb_build_object(
      'email', m.email, 'name', m.name, 'role', m.role, 'last_login_at', kelpie.instant_text(m.last_login_at),
      'created_at', kelpie.instant_text(m.created_at)
    )
  )
  from kelpie.members m where m.partner_id = of_partner and m.email = of_email;
  if not found then
    raise exception 'an event about no member' using errcode = 'check_violation';
  end if;
end;
$$;
