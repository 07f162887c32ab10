-- Marks a proposal as done, for the function that performs its act in the same transaction: no act that frees money happens
-- without one. Requires an entry of that action and subject in the audit log in the same transaction.
-- Raises KP404 where there is none of this action and subject, KP430 where it is decided, KP431 for who proposed it, and
-- KP432 once it has expired.
-- Locks: the proposal.
-- Returns the proposal: the act checks its revision and does what its detail says.
-- Callers: kelpie_payouts
create or replace function kelpie.take_proposal(of_proposal uuid, of_action text, of_subject text, at timestamptz)
  returns kelpie.proposals
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
declare
  approver text := kelpie.require_audit(of_action, of_subject);
  taken kelpie.proposals;
begin
  select p.* into taken from kelpie.proposals p
  where p.id = of_proposal and p.action = of_action and p.subject = of_subject for update;
  if not found then
    raise exception 'an act that was not proposed' using errcode = 'KP404';
  elsif taken.outcome is not null then
    raise exception 'the proposal is decided' using errcode = 'KP430';
  elsif approver = taken.proposed_by then
    raise exception 'the proposal needs another operator' using errcode = 'KP431';
  elsif at >= taken.expires_at then
    raise exception 'the proposal has expired' using errcode = 'KP432';
  end if;
  update kelpie.proposals p
  set outcome = 'done', decided_by = approver, decided_at = at, decided_tx = pg_current_xact_id()
  where p.id = of_proposal;
  return taken;
end;
$$;
