-- Lifts a block: deletes it, and keeps that in the history. Nothing else deletes a block.
-- Returns false if it is not in force.
-- Applied after: 0017
-- Callers: kelpie_payouts
create or replace function kelpie.lift_payment_block(block uuid, why text, at timestamptz, lifted_by text) returns boolean
  language plpgsql volatile
as $$
begin
  with lifted as (
    delete from kelpie.payment_blocks b where b.id = block returning *
  )
  insert into kelpie.payment_block_history (block_id, what, cause, rail, partner_id, environment, reason, at, by)
  select b.id, 'lifted', b.cause, b.rail, b.partner_id, b.environment, why, at, lifted_by from lifted b;
  return found;
end;
$$;
