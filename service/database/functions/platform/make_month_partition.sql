-- Creates one month's partition of a table if it is missing. Returns whether it did.
-- The partition is created on its own and then attached: `create table … partition of` would lock the whole table against
--   inserts. Attaching waits for writers of referenced tables, and new writers queue behind it. So create one partition
--   per transaction; a wait over 300 ms raises lock_not_available, and the caller retries.
-- Locks: an advisory lock, so that one partition is created at a time, then the parent table and tables it references.
-- Owner: kelpie_owner
-- Callers: kelpie_service
create or replace function kelpie.make_month_partition(parent_name text, month_start timestamptz) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '300ms'
as $$
declare
  missing record;
begin
  perform pg_advisory_xact_lock(hashtextextended('kelpie.make_month_partition', 0));
  select m.parent_name, m.month_start, m.partition_name into missing
  from kelpie.missing_month_partitions(make_month_partition.month_start, 0) m
  where m.parent_name = make_month_partition.parent_name;
  if missing is null then
    return false;
  end if;
  execute format('create table kelpie.%I (like kelpie.%I including all)', missing.partition_name, missing.parent_name);
  perform kelpie.attach_month_partition(missing.parent_name, missing.partition_name, missing.month_start);
  return true;
end;
$$;
