-- Creates one month's partition of a table if it is missing. Returns whether it did.
-- The partition is created on its own and then attached: `create table … partition of` would lock the whole table against
--   inserts. Attaching waits for writers of referenced tables, and new writers queue behind it. So create one partition
--   per transaction; a wait over 300 ms raises lock_not_available, and the caller retries.
-- Row security is forced on the partition without a policy, so its rows are reachable only through the parent table.
-- n_distinct of partner_id is fixed at 1,000. With few partners, the planner would take each for a large one and read the
--   newest rows of all partners to find those of one.
-- Tables marked @changes get free space on each page, so that an update touches no index.
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
  execute format('alter table kelpie.%I enable row level security, force row level security', missing.partition_name);
  if exists (
    select from pg_attribute a
    where a.attrelid = format('kelpie.%I', missing.parent_name)::regclass and a.attname = 'partner_id' and not a.attisdropped
  ) then
    execute format('alter table kelpie.%I alter column partner_id set (n_distinct = 1000)', missing.partition_name);
  end if;
  if obj_description(format('kelpie.%I', missing.parent_name)::regclass, 'pg_class') ~ '@changes\M' then
    execute format('alter table kelpie.%I set (fillfactor = 85)', missing.partition_name);
  end if;
  execute format(
    'alter table kelpie.%I attach partition kelpie.%I for values from (%L) to (%L)',
    missing.parent_name,
    missing.partition_name,
    kelpie.first_id_at(missing.month_start),
    kelpie.first_id_at((missing.month_start at time zone 'utc' + interval '1 month') at time zone 'utc')
  );
  -- Attaching copies row triggers but not statement triggers.
  if exists (
    select from pg_trigger t
    where t.tgrelid = format('kelpie.%I', missing.parent_name)::regclass and t.tgname = 'never_emptied'
  ) then
    execute format(
      'create trigger never_emptied before truncate on kelpie.%I for each statement execute function kelpie.refuse_change()',
      missing.partition_name
    );
  end if;
  return true;
end;
$$;
