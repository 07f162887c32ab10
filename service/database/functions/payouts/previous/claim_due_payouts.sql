-- For the version before, which claims payouts of both environments together and knows no turns of partners.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.claim_due_payouts(at timestamptz, lease interval, at_most integer)
  returns table (payout_id uuid, partner_id uuid, environment kelpie.environment, webhook_payment_id text)
  language sql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
  with due as (
    select o.payout_id as id from kelpie.payout_leases o
    where o.due_at <= at and o.leased_until <= at
    order by o.due_at limit least(at_most, 500)
    for update skip locked
  )
  update kelpie.payout_leases o
  set leased_until = at + lease * power(2, least(greatest(o.claims - 4, 0), 6)),
    due_at = at + lease * power(2, least(greatest(o.claims - 4, 0), 6)),
    claims = o.claims + 1
  from due where o.payout_id = due.id
  returning o.payout_id, o.partner_id, o.environment, o.webhook_payment_id
$$;
