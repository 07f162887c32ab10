-- Partners whose live volume of a day is unusual and whose admins were not emailed about it yet: more than 1,000.00, and more
-- than twice the highest of the 30 days before.
-- Returns at most so many, by partner, after the given one.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_unusual_volumes(of_day date, after_partner uuid, at_most integer)
  returns table (partner_id uuid, environment kelpie.environment, spent_pence bigint, highest_pence bigint)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select today.partner_id, today.environment, today.spent_pence, before.highest
  from kelpie.daily_spending today
  cross join lateral (
    select coalesce(max(s.spent_pence), 0) as highest
    from generate_series(1, 30) as back
    join kelpie.daily_spending s on s.partner_id = today.partner_id and s.environment = today.environment
      and s.on_day = of_day - back and s.subject = ''
  ) before
  where today.on_day = of_day and today.environment = 'live' and today.subject = '' and today.partner_id > after_partner
    and today.spent_pence > 100000 and today.spent_pence > 2 * before.highest
    and not exists (
      select from kelpie.volume_alerts a
      where a.partner_id = today.partner_id and a.environment = today.environment and a.on_day = of_day
    )
  order by today.environment, today.partner_id
  limit at_most
$$;
