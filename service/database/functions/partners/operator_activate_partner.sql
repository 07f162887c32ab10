-- Activates a suspended partner, which one operator proposed and another approves: it can pay again, if nothing else blocks
-- it. A partner that is not verified goes back to its sandbox.
-- Raises what take_proposal raises. Returns false when the partner is no longer suspended.
-- Locks: the proposal, then the partner.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_activate_partner(of_proposal uuid, of_partner uuid, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'partner.activate', of_partner::text, at);
begin
  if proposal.detail::jsonb ->> 'to' not in ('active', 'onboarding') then
    raise exception 'a partner cannot be activated as %', proposal.detail::jsonb ->> 'to' using errcode = 'check_violation';
  end if;
  update kelpie.partners p set status = proposal.detail::jsonb ->> 'to'
  where p.id = of_partner and p.status = 'suspended';
  return found;
end;
$$;
