-- Retrieves a partner in one of its environments, as the partner itself sees it: status, prices, verification, branding and
-- the USDC address for top-ups.
-- Callers: everyone
create or replace function kelpie.show_account(of_partner uuid, of_environment kelpie.environment)
  returns table (
    name text, status text, rail kelpie.rail, fixed_pence bigint, basis_points bigint, monthly_pence bigint,
    billing_email text, contact_email text, verification_status text, verification_provider_status text,
    verification_continue_url text, verification_terms_url text, screening text, logo_url text, brand_color text,
    wallet_low_micro_usdc bigint, funding_address text
  )
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select p.name, p.status, e.rail, pp.fixed_pence, pp.basis_points, pp.monthly_pence, p.billing_email, p.contact_email,
      p.verification_status, p.verification_provider_status, p.verification_continue_url, p.verification_terms_url, p.screening,
      p.logo_url, p.brand_color, p.wallet_low_micro_usdc,
      (
        select f.address from kelpie.funding_sources f
        where f.partner_id = of_partner and f.environment = of_environment and f.method = 'usdc'
      )
    from kelpie.partners p
    join kelpie.partner_environments e on e.partner_id = p.id
    join kelpie.price_plans pp on pp.id = e.price_plan
    where p.id = of_partner and e.environment = of_environment;
end;
$$;
