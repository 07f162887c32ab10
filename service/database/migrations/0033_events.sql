-- Changes that partners can read. A commit that changes something leaves a row that has no number yet; one worker at a time numbers
-- what is committed, without gaps per partner and environment (docs/events.md).

create type kelpie.event_type as enum (
  'payout.pending', 'payout.processing', 'payout.completed', 'payout.failed', 'payout.cancelled', 'payout.returned'
);

-- Written in the commit that makes the change, beside its history row. It waits for no lock: a number given here would be a
-- row that all commits of a partner queue for.
create table kelpie.unnumbered_events (
  -- Only the order of rows of one subject counts, and these are written one after the other.
  number bigint generated always as identity primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  type kelpie.event_type not null,
  -- The payout, and the number of its history row.
  subject_id uuid not null,
  version integer not null check (version > 0), -- squawk-ignore prefer-bigint-over-int
  at timestamptz not null
);
comment on table kelpie.unnumbered_events is '@bounded @by-function What was committed within the last moments.';
select kelpie.protect_partner_table('unnumbered_events', service_may => 'select');
create policy payouts_all on kelpie.unnumbered_events to kelpie_payouts using (true) with check (true);
grant select, insert, delete on kelpie.unnumbered_events to kelpie_payouts;
grant select on kelpie.unnumbered_events to kelpie_service, kelpie_reader;

create table kelpie.event_counters (
  partner_id uuid not null,
  environment kelpie.environment not null,
  last_sequence bigint not null check (last_sequence > 0),
  primary key (partner_id, environment)
);
comment on table kelpie.event_counters is '@bounded @by-function One row per partner and environment with events.';
select kelpie.protect_partner_table('event_counters', service_may => 'select');
create policy payouts_all on kelpie.event_counters to kelpie_payouts using (true) with check (true);
grant select, insert, update (last_sequence) on kelpie.event_counters to kelpie_payouts;
grant select on kelpie.event_counters to kelpie_service, kelpie_reader;

-- What the change was about is in its subject's history: an event says no more than which row.
create table kelpie.events (
  -- A UUIDv7 of the instant at which it was numbered.
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  sequence bigint not null check (sequence > 0),
  type kelpie.event_type not null,
  subject_id uuid not null,
  version integer not null check (version > 0), -- squawk-ignore prefer-bigint-over-int
  -- When the change was made.
  at timestamptz not null
) partition by range (id);
comment on table kelpie.events is '@grows @by-function @forgets-after-4-months A few rows per payout.';
create index events_in_order on kelpie.events (partner_id, environment, sequence);
select kelpie.protect_partner_table('events', service_may => 'select');
select kelpie.make_insert_only('events');
create policy payouts_add on kelpie.events for insert to kelpie_payouts with check (true);
grant insert on kelpie.events to kelpie_payouts;
grant select on kelpie.events to kelpie_service, kelpie_reader;
