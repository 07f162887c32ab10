-- Ends the freeze of a partner, which one operator proposed and another approves, whoever froze it. Other blocks stay.
-- Raises what take_proposal raises. Returns false when it is no longer frozen.
-- Locks: the proposal, the blocks, then waiting leases that nobody has locked.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_unfreeze_partner(of_proposal uuid, of_partner uuid, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'partner.unfreeze', of_partner::text, at);
  block uuid;
  lifted boolean := false;
begin
  for block in
    select b.id from kelpie.payment_blocks b where b.partner_id = of_partner and b.cause = 'frozen' order by b.id
  loop
    lifted := kelpie.lift_payment_block(block, proposal.detail::jsonb ->> 'reason', at, kelpie.acting_operator()) or lifted;
  end loop;
  return lifted;
end;
$$;
