-- Erases the recipient of a payout, and of every other payout of that partner and environment to the same account under the
-- same name: name, account and address. What explains the money stays, and so does the keyed digest of the account.
-- Guarantees: only what two operators decided, and only if each of these payouts is final and without an open case, and none
--   to that account waits for approval.
-- Raises what take_proposal raises. Returns how many payouts lost their recipient; -1 where one of them is not final.
-- Locks: the proposal, then the payouts in the order of their id.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_erase_recipient(of_proposal uuid, of_payouts uuid[], at timestamptz) returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  subject uuid := of_payouts[1];
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'recipient.erase', subject::text, at);
  first kelpie.payouts;
  open integer;
begin
  select p.* into strict first from kelpie.payouts p where p.id = subject;
  perform from kelpie.payouts p where p.id = any (of_payouts) order by p.id for update;
  select count(*) into open from kelpie.payouts p
  where p.id = any (of_payouts) and (
    (p.partner_id, p.environment, p.account_index) is distinct from (first.partner_id, first.environment, first.account_index)
    or p.state not in ('completed', 'failed', 'cancelled', 'returned', 'not_created')
    or exists (select from kelpie.payout_leases l where l.payout_id = p.id)
    or exists (select from kelpie.cases c where c.payout_id = p.id and c.closed_at is null)
  );
  if open > 0 or exists (
    select from kelpie.payout_requests r
    where (r.partner_id, r.environment, r.account_index) = (first.partner_id, first.environment, first.account_index)
      and r.state = 'open'
  ) then
    return -1;
  end if;
  update kelpie.payout_requests r set recipient_name = null, account_last4 = null
  where (r.partner_id, r.environment, r.account_index) = (first.partner_id, first.environment, first.account_index);
  return kelpie.erase_recipients(of_payouts, at);
end;
$$;
