-- The status page: how each component did, day by day, and the incidents that operators write about.

create type kelpie.status_component as enum ('api', 'payouts', 'bank', 'webhooks', 'dashboard');
-- The worst last: a minute counts as the worst that any process recorded for it.
create type kelpie.status_level as enum ('operational', 'maintenance', 'degraded', 'outage');

-- What was recorded last. The first recorded minute has none before it.
create table kelpie.status_now (
  component kelpie.status_component primary key,
  minute timestamptz check (minute = date_trunc('minute', minute)),
  level kelpie.status_level not null
);
comment on table kelpie.status_now is '@bounded @shared One row per component.';
insert into kelpie.status_now (component, level)
select component, 'operational' from unnest(enum_range(null::kelpie.status_component)) component;
grant select, update (minute, level) on kelpie.status_now to kelpie_payouts;
grant select on kelpie.status_now to kelpie_reader;

-- Minutes of a day in UTC.
create table kelpie.status_days (
  day date not null,
  component kelpie.status_component not null,
  minutes smallint not null check (minutes between 0 and 1440), -- squawk-ignore prefer-bigint-over-smallint
  degraded smallint not null default 0 check (degraded >= 0), -- squawk-ignore prefer-bigint-over-smallint
  outage smallint not null default 0 check (outage >= 0), -- squawk-ignore prefer-bigint-over-smallint
  maintenance smallint not null default 0 check (maintenance >= 0), -- squawk-ignore prefer-bigint-over-smallint
  primary key (day, component),
  check (degraded + outage + maintenance <= minutes)
);
comment on table kelpie.status_days is '@bounded @shared One row per component and day; recording a minute deletes those of over 90 days ago.';
grant select, insert, delete, update (minutes, degraded, outage, maintenance) on kelpie.status_days to kelpie_payouts;
grant select on kelpie.status_days to kelpie_reader;

-- What the page says about something that affects partners. It is public.
create table kelpie.status_incidents (
  id uuid primary key,
  title text not null check (char_length(title) between 1 and 120),
  impact kelpie.status_level not null check (impact <> 'operational'),
  components kelpie.status_component[] not null check (cardinality(components) between 1 and 5),
  opened_at timestamptz not null,
  resolved_at timestamptz check (resolved_at >= opened_at)
);
comment on table kelpie.status_incidents is '@bounded @shared One row per incident that an operator wrote about.';
grant select, insert, update (impact, resolved_at) on kelpie.status_incidents to kelpie_payouts;
grant select on kelpie.status_incidents to kelpie_reader;

create table kelpie.status_updates (
  incident_id uuid not null references kelpie.status_incidents (id),
  number integer not null check (number between 1 and 100), -- squawk-ignore prefer-bigint-over-int
  at timestamptz not null,
  text text not null check (char_length(text) between 1 and 1000),
  primary key (incident_id, number)
);
comment on table kelpie.status_updates is '@bounded @shared A few rows per incident.';
select kelpie.make_insert_only('status_updates');
grant select, insert on kelpie.status_updates to kelpie_payouts;
grant select on kelpie.status_updates to kelpie_reader;
