-- Recovery after a restore. The bank still has what we forgot, and a payout is rebuilt from its record. What the bank does
-- not know is null until the partner repeats its request: the idempotency key, and the recipient's details.

alter table kelpie.payouts
  add column recovered_at timestamptz,
  alter column idempotency_key drop not null, -- squawk-ignore ban-drop-not-null
  alter column recipient_name drop not null, -- squawk-ignore ban-drop-not-null
  alter column account_last4 drop not null, -- squawk-ignore ban-drop-not-null
  alter column recipient_encrypted drop not null, -- squawk-ignore ban-drop-not-null
  alter column account_index drop not null, -- squawk-ignore ban-drop-not-null
  -- Only a payout that was rebuilt may lack any of it. The table has no release behind it, so it is checked at once.
  -- squawk-ignore constraint-missing-not-valid
  add constraint payouts_whole check (
    recovered_at is not null
    or num_nulls(idempotency_key, recipient_name, account_last4, recipient_encrypted, account_index) = 0
  );
-- Written once, when the partner repeats its request.
create trigger ordered_once
  before update of idempotency_key, reference, bank_reference, recipient_name, account_last4, recipient_encrypted, account_index
  on kelpie.payouts for each row execute function kelpie.refuse_change_of_order();
grant update (
  idempotency_key, reference, bank_reference, recipient_name, account_last4, recipient_encrypted, account_index
) on kelpie.payouts to kelpie_payouts;

-- A key that we do not know has no body either.
alter table kelpie.idempotency_keys
  alter column key drop not null, -- squawk-ignore ban-drop-not-null
  -- squawk-ignore constraint-missing-not-valid
  add constraint key_with_body check (key is not null or fingerprint = '');
grant update (key) on kelpie.idempotency_keys to kelpie_payouts;

-- Raised every few seconds here and in a file outside the database (KELPIE_HEARTBEAT_ANCHOR). A database that was restored
-- is behind that file, which is how it is recognised.
create table kelpie.heartbeat (
  only_row boolean primary key default true check (only_row),
  number bigint not null check (number >= 0),
  -- Null before the first.
  at timestamptz
);
comment on table kelpie.heartbeat is '@bounded @shared One row.';
insert into kelpie.heartbeat (number) values (0);
grant select on kelpie.heartbeat to kelpie_service, kelpie_reader;
grant select, update (number, at) on kelpie.heartbeat to kelpie_payouts;

-- Each time that a database was found to be restored, or an operator said so. Live is closed until it is opened again.
create table kelpie.recoveries (
  id uuid primary key,
  began_at timestamptz not null,
  -- An operator, or the part of the system that found it.
  begun_by text not null check (char_length(begun_by) between 1 and 80),
  reason text not null check (char_length(reason) between 1 and 500),
  -- The last heartbeat that the database knows of. What the bank did since may be missing. Null where there was none.
  lost_since timestamptz,
  -- When an import last found that nothing is missing any more.
  imported_at timestamptz,
  opened_at timestamptz,
  opened_by text check (char_length(opened_by) between 1 and 80),
  check (imported_at >= began_at),
  check ((opened_at is null) = (opened_by is null) and (opened_at is null or imported_at is not null))
);
comment on table kelpie.recoveries is '@bounded @shared One row per restore.';
-- One is in progress at a time.
create unique index recoveries_in_progress on kelpie.recoveries ((true)) where opened_at is null;
grant select on kelpie.recoveries to kelpie_service, kelpie_reader;
grant select, insert, update (imported_at, opened_at, opened_by) on kelpie.recoveries to kelpie_payouts;
