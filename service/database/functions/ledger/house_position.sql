-- What a partner's bank wallet lacks of what the partner has there, in micro-USDC; below zero where it holds more:
--   wallet + held - bank_wallet - in_transit - float_in_transit
-- Every transfer sums to zero, so that is the sum of the house's own accounts. What is in suspense has no owner yet, and counts
-- only where it is missing.
-- Callers: everyone
create or replace function kelpie.house_position(of_partner uuid, of_environment kelpie.environment) returns bigint
  language sql stable
  return (
    select coalesce(sum(h.amount) filter (where h.account not in ('suspense', 'float_in_transit')), 0)
      + greatest(coalesce(sum(h.amount) filter (where h.account = 'suspense'), 0), 0)
    from (
      select s.account, s.sum_micro_usdc as amount from kelpie.house_sums s
      where s.partner_id = of_partner and s.environment = of_environment
      union all
      select c.account, c.amount from kelpie.house_changes c
      where c.partner_id = of_partner and c.environment = of_environment
    ) h
  );
