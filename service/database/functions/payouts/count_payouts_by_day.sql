-- A partner's days in London on which payouts arrived, or on which payouts were created that failed or were returned. Only
-- the newest `most_scanned` from an id on are counted; the oldest of a day's says whether some are left out.
-- Callers: everyone
create or replace function kelpie.count_payouts_by_day(
  of_partner uuid, of_environment kelpie.environment, from_id uuid, most_scanned integer
) returns table (date text, completed bigint, paid_pence numeric, failed bigint, oldest_id text)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select (newest.at at time zone 'Europe/London')::date::text,
      count(*) filter (where newest.state = 'completed'),
      coalesce(sum(newest.amount_pence) filter (where newest.state = 'completed'), 0),
      count(*) filter (where newest.state <> 'completed'),
      min(newest.id::text collate "C")
    from (
      select p.id, p.state, p.amount_pence,
        case when p.state = 'completed' then p.completed_at else kelpie.instant_of(p.id) end as at
      from kelpie.payouts p
      where p.partner_id = of_partner and p.environment = of_environment and p.id >= from_id
        and p.state in ('completed', 'failed', 'returned')
      order by p.id desc limit most_scanned
    ) newest
    group by 1 limit 100;
end;
$$;
