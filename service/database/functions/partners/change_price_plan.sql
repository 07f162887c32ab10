-- Gives the transaction's partner environment another price plan from now on, and records the change.
-- Locks: the partner environment's row, until commit. Concurrent changes would get the same number otherwise.
-- Returns false when it has that plan already.
-- Owner: kelpie_payouts
-- Callers: none
create or replace function kelpie.change_price_plan(at timestamptz, new_plan text, by_whom text) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  target record;
begin
  select e.partner_id, e.environment, e.price_plan into strict target
  from kelpie.partner_environments e
  where e.partner_id = kelpie.current_partner() and e.environment = kelpie.current_environment()
  for no key update;
  if target.price_plan = new_plan then
    return false;
  end if;
  insert into kelpie.price_plan_changes (partner_id, environment, number, at, from_plan, to_plan, by)
  select target.partner_id, target.environment, count(*) + 1, change_price_plan.at, target.price_plan, new_plan, by_whom
  from kelpie.price_plan_changes c where c.partner_id = target.partner_id and c.environment = target.environment;
  update kelpie.partner_environments e set price_plan = new_plan
  where e.partner_id = target.partner_id and e.environment = target.environment;
  return true;
end;
$$;
