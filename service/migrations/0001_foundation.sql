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

-- Makes the partitions of every table that is partitioned by month, from the month of from_instant on.
-- A partition is made alone and then attached: attaching lets inserts go on, while "create table … partition of" would
-- lock the whole table. Row security is forced on the partition too, with no policy: rows are reached through the table
-- or not at all.
create function kelpie.make_month_partitions(from_instant timestamptz, months_ahead integer) returns setof text
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '2s'
as $$
declare
  parent record;
  month_start timestamptz;
  partition_name text;
begin
  perform pg_advisory_xact_lock(hashtextextended('kelpie.make_month_partitions', 0));
  for parent in
    select c.oid, c.relname
    from pg_partitioned_table p
    join pg_class c on c.oid = p.partrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'kelpie' and p.partstrat = 'r'
    order by c.relname
  loop
    for i in 0 .. months_ahead loop
      month_start := (date_trunc('month', from_instant at time zone 'utc') + make_interval(months => i)) at time zone 'utc';
      partition_name := parent.relname || to_char(month_start at time zone 'utc', '_YYYY_MM');
      continue when exists (
        select from pg_class c where c.relname = partition_name and c.relnamespace = 'kelpie'::regnamespace
      );
      execute format('create table kelpie.%I (like kelpie.%I including all)', partition_name, parent.relname);
      execute format('alter table kelpie.%I enable row level security, force row level security', partition_name);
      execute format(
        'alter table kelpie.%I attach partition kelpie.%I for values from (%L) to (%L)',
        parent.relname,
        partition_name,
        kelpie.first_id_at(month_start),
        kelpie.first_id_at((month_start at time zone 'utc' + interval '1 month') at time zone 'utc')
      );
      return next partition_name;
    end loop;
  end loop;
end;
$$;
revoke all on function kelpie.make_month_partitions(timestamptz, integer) from public;
grant execute on function kelpie.make_month_partitions(timestamptz, integer) to kelpie_service;
