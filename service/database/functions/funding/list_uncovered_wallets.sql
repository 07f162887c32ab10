-- Lists partner environments at a bank whose money there, with what is on its way, is less than what the partner has:
-- wallet + held > bank_wallet + in_transit + what the float has sent and not yet swept. One page at a time.
-- Guarantees: a page never splits the environments of one partner, so the caller can continue after its last partner.
--   `at_most` counts partners, 500 at most.
-- Owner: kelpie_payouts
-- Callers: kelpie_service, kelpie_reader
create or replace function kelpie.list_uncovered_wallets(after_partner uuid, at_most integer)
  returns table (partner_id uuid, environment kelpie.environment, lacks_micro_usdc bigint)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  with uncovered as (
    select e.partner_id, e.environment, p.lacks
    from kelpie.partner_environments e
    cross join lateral (
      -- A sweep that is on its way left the bank wallet, and covers nothing any more.
      select kelpie.house_position(e.partner_id, e.environment) + coalesce((
        select sum(m.amount_micro_usdc) from kelpie.float_moves m
        where m.partner_id = e.partner_id and m.environment = e.environment and m.state = 'open' and m.kind = 'sweep'
      ), 0) as lacks
    ) p
    where e.rail <> 'simulated' and e.partner_id > after_partner and p.lacks > 0
  )
  select u.partner_id, u.environment, u.lacks::bigint from uncovered u
  where u.partner_id in (select distinct p.partner_id from uncovered p order by 1 limit least(at_most, 500))
  order by u.partner_id, u.environment
$$;
