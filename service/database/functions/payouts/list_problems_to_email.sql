-- Lists partner environments with payout problems that wait for an email, one page at a time. Those whose last email came
-- after `quiet_since` wait longer.
-- Guarantees: a page never splits the environments of one partner, so the caller can continue after its last partner.
--   `at_most` counts partners, 500 at most.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_problems_to_email(quiet_since timestamptz, after_partner uuid, at_most integer)
  returns table (partner_id uuid, environment kelpie.environment)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  with due as (
    select distinct w.partner_id, w.environment from kelpie.payout_problems w
    where w.notified_at is null and w.partner_id > after_partner and not exists (
      select from kelpie.payout_problems n
      where n.partner_id = w.partner_id and n.environment = w.environment and n.notified_at > quiet_since
    )
  )
  select d.partner_id, d.environment from due d
  where d.partner_id in (select distinct o.partner_id from due o order by 1 limit least(at_most, 500))
  order by d.partner_id, d.environment
$$;
