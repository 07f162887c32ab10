-- Blocks the payments of a rail, or of a partner in one environment or both, and keeps that in the history.
-- Guarantees: a cause blocks the same payments once. If its block is in force, that one stays; an odd difference is still
--   kept in the history. A partner that could pay until now has an event of it.
-- Locks: payment_blocks against other writers, so that of two blocks at once one is the first.
-- Returns the id of the new block; null if one was in force.
-- Applied after: 0035
-- Callers: kelpie_payouts
create or replace function kelpie.add_payment_block(
  new_cause text, on_rail kelpie.rail, of_partner uuid, of_environment kelpie.environment, new_reason text, at timestamptz,
  new_by text, difference bigint default null
) returns uuid
  language plpgsql volatile
as $$
declare
  block uuid;
  is_new boolean;
begin
  lock table kelpie.payment_blocks in share row exclusive mode;
  insert into kelpie.payment_blocks (id, cause, rail, partner_id, environment, reason, since, by)
  values (gen_random_uuid(), new_cause, on_rail, of_partner, of_environment, new_reason, at, new_by)
  on conflict do nothing
  returning id into block;
  is_new := found;
  if not is_new then
    if difference is null then
      return null;
    end if;
    select b.id into strict block from kelpie.payment_blocks b
    where b.cause = new_cause and b.rail is not distinct from on_rail and b.partner_id is not distinct from of_partner
      and b.environment is not distinct from of_environment;
  end if;
  insert into kelpie.payment_block_history (
    block_id, what, cause, rail, partner_id, environment, difference_micro_usdc, reason, at, by
  )
  values (
    block, case when is_new then 'blocked' else 'repeated' end, new_cause, on_rail, of_partner, of_environment, difference,
    new_reason, at, new_by
  );
  if is_new and of_partner is not null then
    perform kelpie.add_account_events('account.paused', of_partner, of_environment, add_payment_block.at);
  end if;
  return case when is_new then block end;
end;
$$;
