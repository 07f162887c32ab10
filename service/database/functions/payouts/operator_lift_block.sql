-- Lifts a payment block that one operator proposed to lift and another approves.
-- Guarantees: blocks that follow a partner's own record (`suspended`, `screening`) or a restore (`recovery`) end by their own
--   acts only, and raise check_violation here.
-- Raises what take_proposal raises. Returns false when the block is no longer in force.
-- Locks: the proposal, the block, then waiting leases that nobody has locked.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_lift_block(of_proposal uuid, block uuid, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'rail.resume', block::text, at);
begin
  if exists (
    select from kelpie.payment_blocks b where b.id = block and b.cause in ('suspended', 'screening', 'recovery')
  ) then
    raise exception 'this block ends by an act of its own' using errcode = 'check_violation';
  end if;
  return kelpie.lift_payment_block(block, proposal.detail::jsonb ->> 'reason', at, kelpie.acting_operator());
end;
$$;
