-- The ground rules that every later table stands on. docs/database.md explains them, and test/schema-rules.ts checks them.

grant usage on schema kelpie to kelpie_service, kelpie_reader;
grant select on kelpie.migrations to kelpie_service, kelpie_reader;

create type kelpie.environment as enum ('sandbox', 'live');

-- Whose rows the transaction may see. Not set means nobody's: the comparison with null is never true.
create function kelpie.current_partner() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('kelpie.partner_id', true), '')::uuid;

create function kelpie.current_environment() returns kelpie.environment
  language sql stable parallel safe
  return nullif(current_setting('kelpie.environment', true), '')::kelpie.environment;

-- A transaction that writes for many partners at once, through functions that check each of them.
create function kelpie.is_batch() returns boolean
  language sql stable parallel safe
  return coalesce(current_setting('kelpie.batch', true), '') = 'on';

create table kelpie.partners (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9-]{2,40}$'),
  name text not null check (char_length(name) between 1 and 120),
  status text not null check (status in ('onboarding', 'active', 'suspended', 'closed')),
  created_at timestamptz not null
);
comment on table kelpie.partners is '@bounded One row a partner: a business that pays out through Kelpie.';
alter table kelpie.partners enable row level security, force row level security;
create policy service_own on kelpie.partners to kelpie_service
  using (id = kelpie.current_partner()) with check (id = kelpie.current_partner());
create policy reader_all on kelpie.partners for select to kelpie_reader using (true);
grant select, insert, update on kelpie.partners to kelpie_service;
grant select on kelpie.partners to kelpie_reader;

-- What a partner has in each environment hangs on this row, by both columns: a reference from one partner or environment
-- to another is then impossible, whatever the code does.
create table kelpie.partner_environments (
  partner_id uuid not null references kelpie.partners (id),
  environment kelpie.environment not null,
  created_at timestamptz not null,
  primary key (partner_id, environment)
);
comment on table kelpie.partner_environments is '@bounded Two rows a partner at most: its sandbox and its live side.';
alter table kelpie.partner_environments enable row level security, force row level security;
create policy service_own on kelpie.partner_environments to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.partner_environments for select to kelpie_reader using (true);
grant select, insert on kelpie.partner_environments to kelpie_service;
grant select on kelpie.partner_environments to kelpie_reader;

-- The smallest UUIDv7 of an instant: where a month's partition begins.
create function kelpie.first_id_at(instant timestamptz) returns uuid
  language sql immutable strict parallel safe
  return (lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- For tables that are only ever added to: a trigger before update or delete on each row, and one before truncate that is
-- named never_emptied, which every partition then gets too.
create function kelpie.refuse_change() returns trigger
  language plpgsql
as $$
begin
  raise exception '% is insert-only: a mistake is mended by another row', tg_table_name using errcode = 'restrict_violation';
end;
$$;

-- Which partitions are missing of the tables that are partitioned by month, from the month of from_instant on.
create function kelpie.missing_month_partitions(from_instant timestamptz, months_ahead integer)
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

-- Makes one month's partition of one table, where it is missing, and says whether it did. It is made alone and then
-- attached: attaching lets inserts go on, while "create table … partition of" would lock the whole table. Where the table
-- refers to another, attaching waits for writers of that one, and they behind it: hence one partition a transaction, and
-- a short wait. Row security is forced on the partition too, with no policy: rows are reached through the table or not at all.
create function kelpie.make_month_partition(parent_name text, month_start timestamptz) returns boolean
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
  execute format(
    'alter table kelpie.%I attach partition kelpie.%I for values from (%L) to (%L)',
    missing.parent_name,
    missing.partition_name,
    kelpie.first_id_at(missing.month_start),
    kelpie.first_id_at((missing.month_start at time zone 'utc' + interval '1 month') at time zone 'utc')
  );
  -- Triggers on rows come with the attachment; those on whole statements do not.
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
revoke all on function kelpie.make_month_partition(text, timestamptz) from public;
grant execute on function kelpie.make_month_partition(text, timestamptz) to kelpie_service;
