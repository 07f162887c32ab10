-- Partners' own addresses to which events are sent (docs/webhooks.md). What is sent is read from the event at that time; no payload is
-- kept here.

create table kelpie.webhook_endpoints (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- Ten places an environment: a place is free once its endpoint is deleted.
  place smallint not null check (place between 1 and 10), -- squawk-ignore prefer-bigint-over-smallint
  url text not null check (char_length(url) between 1 and 2000),
  description text check (char_length(description) between 1 and 200),
  -- Null for all types, those of later versions included.
  types text[] check (cardinality(types) > 0),
  secret_encrypted bytea not null,
  -- The secret before the last roll, which signs too until then.
  previous_secret_encrypted bytea,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('requested', 'failing')),
  deleted_at timestamptz,
  -- The last event that was fanned out to it: the next delivery names it as the one before.
  last_sequence bigint,
  -- Failed attempts in a row, and since when.
  failures integer not null default 0 check (failures >= 0), -- squawk-ignore prefer-bigint-over-int
  failing_since timestamptz,
  -- When a worker is to look at it next.
  due_at timestamptz not null default 'infinity',
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment),
  check ((disabled_at is null) = (disabled_reason is null)),
  check ((previous_secret_encrypted is null) = (previous_secret_until is null)),
  check ((failures = 0) = (failing_since is null))
);
comment on table kelpie.webhook_endpoints is '@grows @kept-whole A few rows per partner.';
create unique index webhook_endpoints_places on kelpie.webhook_endpoints (partner_id, environment, place) where deleted_at is null;
create index webhook_endpoints_due on kelpie.webhook_endpoints (due_at) where disabled_at is null and deleted_at is null;
select kelpie.protect_partner_table('webhook_endpoints');
create policy payouts_all on kelpie.webhook_endpoints to kelpie_payouts using (true) with check (true);
grant select, insert on kelpie.webhook_endpoints to kelpie_service;
grant update (
  url, description, types, secret_encrypted, previous_secret_encrypted, previous_secret_until, disabled_at, disabled_reason,
  deleted_at, failures, failing_since, due_at
) on kelpie.webhook_endpoints to kelpie_service;
grant select, update (last_sequence, failures, failing_since, due_at) on kelpie.webhook_endpoints to kelpie_payouts;
grant select (
  id, partner_id, environment, created_at, disabled_at, disabled_reason, deleted_at, last_sequence, failures, failing_since, due_at
) on kelpie.webhook_endpoints to kelpie_reader;

create type kelpie.delivery_state as enum ('pending', 'delivered', 'failed');

-- One event for one endpoint. Of the pending ones about one subject, exactly one is due or leased: the others wait for it, so that
-- they arrive in order.
create table kelpie.webhook_deliveries (
  event_id uuid not null,
  endpoint_id uuid not null,
  partner_id uuid not null,
  environment kelpie.environment not null,
  sequence bigint not null check (sequence > 0),
  -- Of the event before it at this endpoint. Null for the first.
  previous_sequence bigint,
  subject_id uuid not null,
  state kelpie.delivery_state not null,
  attempts integer not null default 0 check (attempts >= 0), -- squawk-ignore prefer-bigint-over-int
  created_at timestamptz not null,
  -- Null while it waits for the one before it about the same subject.
  due_at timestamptz,
  leased_until timestamptz,
  -- After this, a failed attempt is the last.
  retry_until timestamptz not null,
  ended_at timestamptz,
  primary key (event_id, endpoint_id),
  check ((state = 'pending') = (ended_at is null)),
  check (state = 'pending' or (due_at is null and leased_until is null)),
  check (previous_sequence < sequence)
) partition by range (event_id);
comment on table kelpie.webhook_deliveries is '@grows @by-function @forgets-after-4-months A row per event and endpoint.';
create index webhook_deliveries_by_endpoint on kelpie.webhook_deliveries (endpoint_id, event_id);
-- For lists. Its condition follows from none of those that look for work, so that no plan of theirs can take it.
create index webhook_deliveries_not_delivered on kelpie.webhook_deliveries (endpoint_id, event_id)
  where ended_at is null or state = 'failed';
create index webhook_deliveries_due on kelpie.webhook_deliveries (endpoint_id, due_at, event_id)
  where state = 'pending' and leased_until is null and due_at is not null;
create index webhook_deliveries_leased on kelpie.webhook_deliveries (endpoint_id, leased_until) where leased_until is not null;
-- By the subject alone: with the endpoint in it, a plan made on old statistics took an index of endpoints, and read all that one had
-- pending.
create index webhook_deliveries_of_subject on kelpie.webhook_deliveries (subject_id, sequence) where state = 'pending';
select kelpie.protect_partner_table('webhook_deliveries', service_may => 'select');
create policy payouts_all on kelpie.webhook_deliveries to kelpie_payouts using (true) with check (true);
grant select, insert, update on kelpie.webhook_deliveries to kelpie_payouts;
grant select on kelpie.webhook_deliveries to kelpie_service, kelpie_reader;

-- What each attempt met. The answer is the partner's own server's.
create table kelpie.webhook_attempts (
  id uuid primary key,
  event_id uuid not null,
  endpoint_id uuid not null,
  partner_id uuid not null,
  environment kelpie.environment not null,
  number integer not null check (number > 0), -- squawk-ignore prefer-bigint-over-int
  at timestamptz not null,
  latency_ms integer not null check (latency_ms >= 0), -- squawk-ignore prefer-bigint-over-int
  status smallint, -- squawk-ignore prefer-bigint-over-smallint
  -- Why there was no answer.
  failure text check (char_length(failure) <= 40),
  headers jsonb,
  -- The first 2 KB.
  body text check (octet_length(body) <= 8192),
  check ((status is null) = (failure is not null))
) partition by range (id);
comment on table kelpie.webhook_attempts is '@grows @by-function @forgets-after-2-months A row per attempt.';
create index webhook_attempts_of_delivery on kelpie.webhook_attempts (endpoint_id, event_id, id);
select kelpie.protect_partner_table('webhook_attempts', service_may => 'select');
select kelpie.make_insert_only('webhook_attempts');
create policy payouts_add on kelpie.webhook_attempts for insert to kelpie_payouts with check (true);
grant insert on kelpie.webhook_attempts to kelpie_payouts;
grant select on kelpie.webhook_attempts to kelpie_service;
grant select (id, event_id, endpoint_id, partner_id, environment, number, at, latency_ms, status, failure)
  on kelpie.webhook_attempts to kelpie_reader;

-- Fanning out reads the events it has just numbered.
create policy payouts_see on kelpie.events for select to kelpie_payouts using (true);
grant select on kelpie.events to kelpie_payouts;
