-- What was requested, by whom, and what we answered.

-- Money actions, each written by the commit that fixes its answer.
create table kelpie.activity (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment,
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$' and octet_length(action) <= 60),
  -- Null where the caller had gone before there was an answer.
  status integer, -- squawk-ignore prefer-bigint-over-int
  by text not null,
  detail text
) partition by range (id);
comment on table kelpie.activity is '@grows @by-function @both-environments One row per money action.';
create index activity_of_partner on kelpie.activity (partner_id, id);
select kelpie.protect_partner_table('activity', scope => 'partner');
select kelpie.make_insert_only('activity');
create policy payouts_add on kelpie.activity for insert to kelpie_payouts with check (true);
grant select, insert on kelpie.activity to kelpie_service;
grant select on kelpie.activity to kelpie_reader;
grant insert on kelpie.activity to kelpie_payouts;

-- Everything else: reads, and what was refused. One row holds what a partner requested within a moment, because a row per
-- request would cost as much as many a read.
create table kelpie.activity_pages (
  -- The id of the newest request in it.
  id uuid primary key,
  partner_id uuid not null,
  size integer not null check (size between 1 and 200), -- squawk-ignore prefer-bigint-over-int
  -- For each request: id, environment, action, status, by, detail.
  entries jsonb not null
) partition by range (id);
comment on table kelpie.activity_pages is '@grows @by-function @both-environments One row for what a partner requested within a moment.';
create index activity_pages_of_partner on kelpie.activity_pages (partner_id, id);
select kelpie.protect_partner_table('activity_pages', scope => 'partner', service_may => 'select');
select kelpie.make_insert_only('activity_pages');
create policy access_add on kelpie.activity_pages for insert to kelpie_access with check (true);
grant select on kelpie.activity_pages to kelpie_service, kelpie_reader;
grant insert on kelpie.activity_pages to kelpie_access;
