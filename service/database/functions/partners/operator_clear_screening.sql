-- Makes the screening of a partner clear, which one operator proposed and another approves: it opens live again, if nothing
-- else blocks it.
-- Raises what take_proposal raises. Returns false when the screening is no longer what the proposal names.
-- Locks: the proposal, then the partner.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_clear_screening(of_proposal uuid, of_partner uuid, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'partner.clear_screening', of_partner::text, at);
begin
  update kelpie.partners p set screening = 'clear'
  where p.id = of_partner and p.screening = proposal.detail::jsonb ->> 'from';
  return found;
end;
$$;
