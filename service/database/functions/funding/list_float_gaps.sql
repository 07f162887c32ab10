-- Lists partner environments at a bank whose wallet there lacks more than `above`, or holds more than `below` too much, one
-- page at a time. Not those with an open move, with one that failed since `retry_since`, or on a rail that is closed for
-- recovery: its books may lack what the bank did.
-- Guarantees: a page never splits the environments of one partner, so the caller can continue after its last partner.
--   `at_most` counts partners, 500 at most.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_float_gaps(
  after_partner uuid, at_most integer, above bigint, below bigint, retry_since timestamptz
) returns table (
    partner_id uuid, environment kelpie.environment, rail kelpie.rail, bank_customer_id text, bank_wallet_id text
  )
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  with gaps as (
    select e.* from kelpie.partner_environments e
    cross join lateral (select kelpie.house_position(e.partner_id, e.environment) as lacks) p
    where e.rail <> 'simulated' and e.partner_id > after_partner and (p.lacks > above or p.lacks < -below)
      and not exists (
        select from kelpie.float_moves m
        where m.partner_id = e.partner_id and m.environment = e.environment
          and (m.state = 'open' or (m.state = 'failed' and m.created_at > retry_since))
      )
      and not exists (select from kelpie.payment_blocks b where b.rail = e.rail and b.cause = 'recovery')
  )
  select g.partner_id, g.environment, g.rail, g.bank_customer_id, g.bank_wallet_id from gaps g
  where g.partner_id in (select distinct p.partner_id from gaps p order by 1 limit least(at_most, 500))
  order by g.partner_id, g.environment
$$;
