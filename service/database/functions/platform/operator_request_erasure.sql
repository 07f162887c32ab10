-- Keeps the address that a proposal to erase a member is about, encrypted: the proposal itself is kept for ever and has none.
-- Requires a proposal.create entry in the audit log in the same transaction. Forgets the requests of proposals that have expired.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_request_erasure(of_proposal uuid, email bytea, at timestamptz) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('proposal.create', of_proposal::text);
  delete from kelpie.erasure_requests r where r.requested_at < at - interval '24 hours';
  insert into kelpie.erasure_requests (proposal_id, email_encrypted, requested_at) values (of_proposal, email, at);
end;
$$;
