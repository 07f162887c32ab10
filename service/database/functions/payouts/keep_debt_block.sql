-- Trigger function that keeps a partner's block for a debt in step with what it owes: blocked in the commit that makes the
-- debt, lifted in the one that repays the last of it. A block that an operator set is left to operators.
-- Applied after: 0025
-- Owner: kelpie_payouts
-- Callers: kelpie_owner
create or replace function kelpie.keep_debt_block() returns trigger
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  before bigint := 0;
begin
  if tg_op = 'UPDATE' then
    before := old.owed_micro_usdc;
  end if;
  if new.owed_micro_usdc > before then
    perform kelpie.add_payment_block(
      'debt', null, new.partner_id, new.environment, 'A deposit was reversed after it was spent.', new.changed_at, 'kelpie'
    );
  elsif new.owed_micro_usdc = 0 then
    perform kelpie.lift_payment_block(b.id, 'The debt was repaid.', new.changed_at, 'kelpie')
    from kelpie.payment_blocks b
    where b.partner_id = new.partner_id and b.environment = new.environment and b.cause = 'debt' and b.by = 'kelpie';
  end if;
  return null;
end;
$$;
