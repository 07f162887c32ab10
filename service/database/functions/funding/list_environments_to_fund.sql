-- Lists partner environments at a bank that lack a bank account or a USDC address for top-ups, one page at a time.
-- Guarantees: a page never splits the environments of one partner, so the caller can continue after its last partner.
--   `at_most` counts partners, 500 at most.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_environments_to_fund(after_partner uuid, at_most integer)
  returns table (
    partner_id uuid, environment kelpie.environment, rail kelpie.rail, bank_customer_id text, bank_wallet_id text
  )
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  with lacking as (
    select e.* from kelpie.partner_environments e
    where e.rail <> 'simulated' and e.partner_id > after_partner and (
      select count(*) from kelpie.funding_sources f
      where f.partner_id = e.partner_id and f.environment = e.environment
    ) < 2
  )
  select l.partner_id, l.environment, l.rail, l.bank_customer_id, l.bank_wallet_id from lacking l
  -- Limit partners, not rows: a page that ended between a partner's two environments would skip the second one.
  where l.partner_id in (select distinct p.partner_id from lacking p order by 1 limit least(at_most, 500))
  order by l.partner_id, l.environment
$$;
