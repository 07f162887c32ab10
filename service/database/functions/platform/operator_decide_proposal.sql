-- Ends a proposal without its act: another operator rejects it, who proposed it withdraws it, or its approval was refused
-- because something had moved. Requires the entry in the audit log in the same transaction.
-- Locks: the proposal.
-- Returns false when there is no such proposal, or it is decided.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_decide_proposal(
  of_proposal uuid, new_outcome text, at timestamptz, new_reason text
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  of_action text := case new_outcome
    when 'rejected' then 'proposal.reject' when 'withdrawn' then 'proposal.withdraw' when 'refused' then 'proposal.refuse'
  end;
  decider text := kelpie.require_audit(of_action, of_proposal::text);
begin
  update kelpie.proposals p
  set outcome = new_outcome, decided_by = decider, decided_at = at, decided_reason = new_reason,
    decided_tx = pg_current_xact_id()
  where p.id = of_proposal and p.outcome is null;
  return found;
end;
$$;
