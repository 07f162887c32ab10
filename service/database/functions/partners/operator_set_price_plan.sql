-- Gives a partner environment another price plan from now on, for an operator. Only operators can change prices: the
-- service may not call change_price_plan. Requires a partner.price_plan entry in the audit log in the same transaction.
-- Locks: the partner environment's row.
-- Returns false when it has that plan already.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_set_price_plan(
  of_partner uuid, of_environment kelpie.environment, at timestamptz, new_plan text
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  by_whom text := kelpie.require_audit('partner.price_plan', of_partner::text);
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return kelpie.change_price_plan(at, new_plan, by_whom);
end;
$$;
