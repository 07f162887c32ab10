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
  side record;
begin
  select e.partner_id, e.environment, e.price_plan into strict side
  from kelpie.partner_environments e
  where e.partner_id = kelpie.current_partner() and e.environment = kelpie.current_environment()
  for no key update;
  if side.price_plan = new_plan then
    return false;
  end if;
  insert into kelpie.price_plan_changes (partner_id, environment, number, at, from_plan, to_plan, by)
  select side.partner_id, side.environment, count(*) + 1, change_price_plan.at, side.price_plan, new_plan, by_whom
  from kelpie.price_plan_changes c where c.partner_id = side.partner_id and c.environment = side.environment;
  update kelpie.partner_environments e set price_plan = new_plan
  where e.partner_id = side.partner_id and e.environment = side.environment;
  return true;
end;
$$;
