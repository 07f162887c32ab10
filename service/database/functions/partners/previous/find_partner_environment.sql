-- For processes of the version before: as find_priced_environment, and why it may not pay (null where it may).
-- Callers: everyone
create or replace function kelpie.find_partner_environment(of_partner uuid, of_environment kelpie.environment)
  returns table (
    status text, rail kelpie.rail, bank_customer_id text, bank_wallet_id text, price_plan text, fixed_pence bigint,
    basis_points bigint, bank_fixed_pence bigint, bank_basis_points bigint, payment_block text
  )
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select p.status, e.rail, e.bank_customer_id, e.bank_wallet_id, e.price_plan, pp.fixed_pence, pp.basis_points,
      pp.bank_fixed_pence, pp.bank_basis_points,
      kelpie.find_payment_block(p.id, e.environment, e.rail)
    from kelpie.partners p
    join kelpie.partner_environments e on e.partner_id = p.id
    join kelpie.price_plans pp on pp.id = e.price_plan
    where p.id = of_partner and e.environment = of_environment;
end;
$$;
