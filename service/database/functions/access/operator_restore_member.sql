-- Makes an address an admin of a partner again, which one operator proposed and another approves. The proposal has the
-- address. It ends no session and removes nobody.
-- Raises what take_proposal raises. Returns false when the address is an admin already.
-- Needs a transaction of that partner.
-- Locks: the proposal, the member, then the partner, which the caller has locked already.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.operator_restore_member(of_proposal uuid, of_partner uuid, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'member.restore', of_partner::text, at);
  was_member boolean := exists (
    select from kelpie.members m where m.partner_id = of_partner and m.email = proposal.detail::jsonb ->> 'email'
  );
begin
  insert into kelpie.members as m (partner_id, email, role, created_at)
  values (of_partner, proposal.detail::jsonb ->> 'email', 'admin', at)
  on conflict (partner_id, email) do update set role = 'admin' where m.role <> 'admin';
  if not found then
    return false;
  end if;
  if not was_member then
    perform kelpie.add_member_event('member.added', proposal.detail::jsonb ->> 'email', at);
  end if;
  return true;
end;
$$;
