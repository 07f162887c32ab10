-- Records the states of the components for the minute of an instant, and what no process could record since the last one.
-- Guarantees: a minute counts once per component, as the worst that was recorded for it. Minutes between the last one and this one
--   are an outage, because no api process could write: also where the database was away. They are maintenance if an incident with
--   that impact was open when they began. Those of the bank are not counted: nothing is known of it. A clock that is behind changes
--   nothing.
-- Deletes days of over 90 days ago.
-- Locks: the rows of status_now, so one process at a time.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.record_status(at timestamptz, of_components text[], levels text[]) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  this_minute timestamptz := date_trunc('minute', at);
  today date := (at at time zone 'utc')::date;
  missing_from timestamptz;
  reported record;
  is_again boolean;
begin
  perform from kelpie.status_now n order by n.component for no key update;
  select max(n.minute) + interval '1 minute' into missing_from from kelpie.status_now n;
  if missing_from > this_minute + interval '1 minute' then
    return;
  end if;
  if missing_from < this_minute then
    missing_from := greatest(missing_from, this_minute - interval '90 days');
    insert into kelpie.status_days as d (day, component, minutes, outage, maintenance)
    select g.day, c.component, g.minutes,
      case when c.is_planned then 0 else g.minutes end, case when c.is_planned then g.minutes else 0 end
    from (
      select s.day::date as day,
        extract(epoch from
          least(this_minute, (s.day + interval '1 day') at time zone 'utc') - greatest(missing_from, s.day at time zone 'utc')
        )::integer / 60 as minutes
      from generate_series(
        date_trunc('day', missing_from at time zone 'utc'), (this_minute - interval '1 minute') at time zone 'utc', interval '1 day'
      ) s (day)
    ) g
    cross join (
      select n.component, exists (
        select from kelpie.status_incidents i
        where i.impact = 'maintenance' and n.component = any (i.components)
          and i.opened_at < missing_from + interval '1 minute' and (i.resolved_at is null or i.resolved_at > missing_from)
      ) as is_planned
      from kelpie.status_now n where n.component <> 'bank'
    ) c
    on conflict (day, component) do update set
      minutes = d.minutes + excluded.minutes, outage = d.outage + excluded.outage, maintenance = d.maintenance + excluded.maintenance;
  end if;
  for reported in
    select n.component, n.minute, n.level as before, r.level::kelpie.status_level as level
    from unnest(of_components, levels) r (component, level)
    join kelpie.status_now n on n.component = r.component::kelpie.status_component
  loop
    is_again := coalesce(reported.minute = this_minute, false);
    continue when is_again and reported.level <= reported.before;
    insert into kelpie.status_days (day, component, minutes) values (today, reported.component, 0) on conflict do nothing;
    update kelpie.status_days d set
      minutes = d.minutes + (not is_again)::integer,
      degraded = d.degraded + (reported.level = 'degraded')::integer - (is_again and reported.before = 'degraded')::integer,
      outage = d.outage + (reported.level = 'outage')::integer,
      maintenance = d.maintenance + (reported.level = 'maintenance')::integer - (is_again and reported.before = 'maintenance')::integer
    where d.day = today and d.component = reported.component;
    update kelpie.status_now n set minute = this_minute, level = reported.level where n.component = reported.component;
  end loop;
  delete from kelpie.status_days d where d.day < today - 90;
end;
$$;
