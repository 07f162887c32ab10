-- Drops one month partition that is past the retention of its table. Returns whether it did.
-- Guarantees: only a table that says how long it is kept forgets, and never before that time by the database's own clock: a
--   caller with a wrong clock can't make it forget early.
-- Dropping locks the table against everything. So drop one per transaction; a wait over 300 ms raises
--   lock_not_available, and the caller retries.
-- Locks: an advisory lock, as make_month_partition takes, then the table and the partition.
-- Owner: kelpie_owner
-- Callers: kelpie_service
create or replace function kelpie.drop_month_partition(partition_name text, at timestamptz) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '300ms'
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('kelpie.make_month_partition', 0));
  if not exists (
    select from kelpie.expired_month_partitions(least(at, now())) e
    where e.partition_name = drop_month_partition.partition_name
  ) then
    return false;
  end if;
  execute format('drop table kelpie.%I', partition_name);
  return true;
end;
$$;
