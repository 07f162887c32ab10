-- Retrieves where a partner sends its top-ups: a bank account, a USDC address, or both.
-- Callers: everyone
create or replace function kelpie.show_funding(of_partner uuid, of_environment kelpie.environment)
  returns table (id uuid, method text, chain text, address text, details_encrypted bytea)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select f.id, f.method, f.chain, f.address, f.details_encrypted from kelpie.funding_sources f
    where f.partner_id = of_partner and f.environment = of_environment;
end;
$$;
