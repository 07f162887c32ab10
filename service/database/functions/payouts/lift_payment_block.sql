-- Lifts a block: deletes it, and keeps that in the history. Nothing else deletes a block. Payouts that waited for it are due
-- at once, in place of up to an hour later. A partner that can pay again has an event of it.
-- Returns false if it is not in force.
-- Locks: payment_blocks against other writers, as add_payment_block does; then leases of waiting payouts that nobody has locked: so two never wait for each other.
-- Applied after: 0035
-- Callers: kelpie_payouts
create or replace function kelpie.lift_payment_block(block uuid, why text, at timestamptz, lifted_by text) returns boolean
  language plpgsql volatile
as $$
declare
  lifted kelpie.payment_blocks;
begin
  lock table kelpie.payment_blocks in share row exclusive mode;
  delete from kelpie.payment_blocks b where b.id = block returning * into lifted;
  if not found then
    return false;
  end if;
  insert into kelpie.payment_block_history (block_id, what, cause, rail, partner_id, environment, reason, at, by)
  values (lifted.id, 'lifted', lifted.cause, lifted.rail, lifted.partner_id, lifted.environment, why, at, lifted_by);
  if lifted.partner_id is not null then
    perform kelpie.add_account_events('account.resumed', lifted.partner_id, lifted.environment, lift_payment_block.at);
  end if;
  update kelpie.payout_leases o set due_at = lift_payment_block.at
  from (
    select l.payout_id from kelpie.payout_leases l join kelpie.payouts p on p.id = l.payout_id
    where p.state in ('sending', 'pending') and l.due_at > lift_payment_block.at and l.leased_until <= lift_payment_block.at
      and (p.rail = lifted.rail or p.partner_id = lifted.partner_id)
    for update of l skip locked
  ) waiting
  where o.payout_id = waiting.payout_id;
  return true;
end;
$$;
