-- What a day of the ledger held when it was closed, and the nights on which it was verified (docs/ledger.md, "Checking").

-- One UTC day: how many entries were posted in it and how many payouts ordered, with digests of both. Each day is chained to
-- the one before by a MAC whose key the database does not have, and anchored in a file outside of it (KELPIE_LEDGER_ANCHORS).
create table kelpie.closed_days (
  day date primary key,
  entries bigint not null check (entries >= 0),
  entries_digest text not null check (entries_digest ~ '^[0-9a-f]{64}$'),
  orders bigint not null check (orders >= 0),
  orders_digest text not null check (orders_digest ~ '^[0-9a-f]{64}$'),
  previous_mac text not null check (previous_mac ~ '^[0-9a-f]{64}$'),
  mac text not null unique check (mac ~ '^[0-9a-f]{64}$'),
  closed_at timestamptz not null
);
comment on table kelpie.closed_days is '@bounded @shared One row per day.';
select kelpie.make_insert_only('closed_days');
grant select, insert on kelpie.closed_days to kelpie_service;
grant select on kelpie.closed_days to kelpie_reader;

create table kelpie.ledger_verifications (
  id uuid primary key,
  began_at timestamptz not null,
  ended_at timestamptz not null check (ended_at >= began_at),
  entries bigint not null check (entries >= 0),
  differences bigint not null check (differences >= 0),
  -- The last of the old days that were read again. The next night goes on after it; null begins anew.
  read_until date
);
comment on table kelpie.ledger_verifications is '@bounded @shared One row per night.';
select kelpie.make_insert_only('ledger_verifications');
grant select, insert on kelpie.ledger_verifications to kelpie_service;
grant select on kelpie.ledger_verifications to kelpie_reader;
