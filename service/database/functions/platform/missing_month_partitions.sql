-- Lists the missing partitions of all tables partitioned by month: for the month of `from_instant` and the next
-- `months_ahead` months, at most 24. Months are UTC. Oldest month first.
-- Callers: everyone
create or replace function kelpie.missing_month_partitions(from_instant timestamptz, months_ahead integer)
  returns table (parent_name text, month_start timestamptz, partition_name text)
  language sql stable
begin atomic
  select parent.relname::text, months.start, parent.relname || to_char(months.start at time zone 'utc', '_YYYY_MM')
  from pg_catalog.pg_partitioned_table p
  join pg_catalog.pg_class parent on parent.oid = p.partrelid
  join pg_catalog.pg_namespace n on n.oid = parent.relnamespace and n.nspname = 'kelpie'
  cross join lateral (
    select (date_trunc('month', from_instant at time zone 'utc') + make_interval(months => i)) at time zone 'utc' as start
    from generate_series(0, least(months_ahead, 24)) as i
  ) as months
  where p.partstrat = 'r' and not exists (
    select from pg_catalog.pg_class child
    where child.relnamespace = n.oid and child.relname = parent.relname || to_char(months.start at time zone 'utc', '_YYYY_MM')
  )
  order by 2, 1;
end;
