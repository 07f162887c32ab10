-- Attaches one month's partition, which was created like its table, and protects it.
-- Row security is forced on the partition without a policy, so its rows are reachable only through the parent table.
-- n_distinct of partner_id is fixed at 1,000. With few partners, the planner would take each for a large one and read the
--   newest rows of all partners to find those of one.
-- Tables marked @changes get free space on each page, so that an update touches no index.
-- Locks: the parent table and tables it references.
-- Callers: kelpie_owner
create or replace function kelpie.attach_month_partition(parent_name text, partition_name text, month_start timestamptz) returns void
  language plpgsql volatile
as $$
begin
  execute format('alter table kelpie.%I enable row level security, force row level security', partition_name);
  if exists (
    select from pg_attribute a
    where a.attrelid = format('kelpie.%I', parent_name)::regclass and a.attname = 'partner_id' and not a.attisdropped
  ) then
    execute format('alter table kelpie.%I alter column partner_id set (n_distinct = 1000)', partition_name);
  end if;
  if obj_description(format('kelpie.%I', parent_name)::regclass, 'pg_class') ~ '@changes\M' then
    execute format('alter table kelpie.%I set (fillfactor = 85)', partition_name);
  end if;
  execute format(
    'alter table kelpie.%I attach partition kelpie.%I for values from (%L) to (%L)',
    parent_name,
    partition_name,
    kelpie.first_id_at(month_start),
    kelpie.first_id_at((month_start at time zone 'utc' + interval '1 month') at time zone 'utc')
  );
  -- Attaching copies row triggers but not statement triggers.
  if exists (
    select from pg_trigger t
    where t.tgrelid = format('kelpie.%I', parent_name)::regclass and t.tgname = 'never_emptied'
  ) then
    execute format(
      'create trigger never_emptied before truncate on kelpie.%I for each statement execute function kelpie.refuse_change()',
      partition_name
    );
  end if;
end;
$$;
