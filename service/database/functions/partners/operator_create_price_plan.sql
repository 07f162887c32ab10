-- Creates a price plan, for an operator. Requires a plan.create entry in the audit log in the same transaction.
-- Guarantees: a plan never changes once it exists.
-- Returns false, and changes nothing, when a plan with this id exists.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_create_price_plan(
  new_id text, fixed bigint, points bigint, bank_fixed bigint, bank_points bigint, monthly bigint, verification bigint,
  network_markup bigint, exception_markup bigint, at timestamptz
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('plan.create', new_id);
  insert into kelpie.price_plans (
    id, fixed_pence, basis_points, bank_fixed_pence, bank_basis_points, monthly_pence, verification_pence,
    network_markup_basis_points, exception_markup_basis_points, created_at
  ) values (
    new_id, fixed, points, bank_fixed, bank_points, monthly, verification, network_markup, exception_markup, at
  ) on conflict do nothing;
  return found;
end;
$$;
