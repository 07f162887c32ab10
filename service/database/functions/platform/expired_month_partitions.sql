-- Lists month partitions past the retention of their table, oldest first: they ended so many months before `at` as the
-- table's comment says (@forgets-after-13-months). Months are UTC. A table that does not say so forgets nothing.
-- Callers: everyone
create or replace function kelpie.expired_month_partitions(at timestamptz)
  returns table (parent_name text, partition_name text)
  language sql stable
begin atomic
  select parent.relname::text, child.relname::text
  from pg_catalog.pg_class parent
  join pg_catalog.pg_namespace n on n.oid = parent.relnamespace and n.nspname = 'kelpie'
  join pg_catalog.pg_inherits i on i.inhparent = parent.oid
  join pg_catalog.pg_class child on child.oid = i.inhrelid
  cross join lateral (
    select substring(pg_catalog.obj_description(parent.oid, 'pg_class') from '@forgets-after-([0-9]+)-months')::integer as months
  ) kept
  where parent.relkind = 'p' and kept.months is not null and child.relname ~ '_[0-9]{4}_[0-9]{2}$'
    and to_date(right(child.relname::text, 7), 'YYYY_MM') + make_interval(months => kept.months + 1)
      <= at at time zone 'utc'
  order by right(child.relname::text, 7), 1;
end;
