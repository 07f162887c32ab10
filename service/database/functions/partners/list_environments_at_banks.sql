-- Lists every partner environment at a bank with its wallet there, one page at a time: for reconciliation, and to search the
-- bank's own lists for late returns.
-- Guarantees: a page never splits the environments of one partner, so the caller can continue after its last partner.
--   `at_most` counts partners, 500 at most.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_environments_at_banks(after_partner uuid, at_most integer)
  returns table (
    partner_id uuid, environment kelpie.environment, rail kelpie.rail, bank_customer_id text, bank_wallet_id text
  )
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select e.partner_id, e.environment, e.rail, e.bank_customer_id, e.bank_wallet_id
  from kelpie.partner_environments e
  where e.rail <> 'simulated' and e.partner_id in (
    select distinct p.partner_id from kelpie.partner_environments p
    where p.partner_id > after_partner and p.rail <> 'simulated' order by 1 limit least(at_most, 500)
  )
  order by e.partner_id, e.environment
$$;
