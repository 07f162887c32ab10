-- Returns the price plan that the transaction's partner environment had at an instant. A change counts from the instant it
-- is made.
-- Callers: everyone
create or replace function kelpie.price_plan_at(instant timestamptz) returns text
  language sql stable
begin atomic
  select coalesce(
    (
      select c.to_plan from kelpie.price_plan_changes c
      where c.partner_id = e.partner_id and c.environment = e.environment and c.at <= instant
      order by c.number desc limit 1
    ),
    (
      select c.from_plan from kelpie.price_plan_changes c
      where c.partner_id = e.partner_id and c.environment = e.environment and c.at > instant
      order by c.number limit 1
    ),
    e.price_plan
  )
  from kelpie.partner_environments e
  where e.partner_id = kelpie.current_partner() and e.environment = kelpie.current_environment();
end;
