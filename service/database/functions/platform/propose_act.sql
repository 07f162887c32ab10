-- Proposes an act that frees money, for another operator to approve within 24 hours. Requires a proposal.create entry in the
-- audit log in the same transaction.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator, kelpie_service
create or replace function kelpie.propose_act(
  new_id uuid, of_action text, of_subject text, at_revision bigint, new_detail text, at timestamptz
) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposer text := kelpie.require_audit('proposal.create', new_id::text);
begin
  insert into kelpie.proposals (id, action, subject, revision, detail, proposed_by, proposed_at, expires_at)
  values (new_id, of_action, of_subject, at_revision, new_detail, proposer, at, at + interval '24 hours');
end;
$$;
