-- What is erased of people, on request and after its time, and what each run of a job that forgets removed (docs/data-protection.md).

-- When the recipient's name and details were erased. The digest of the account stays: it says nothing without our key.
alter table kelpie.payouts
  add column erased_at timestamptz,
  drop constraint payouts_whole,
  -- Validated by the next migration.
  add constraint payouts_whole check (
    recovered_at is not null
    or (idempotency_key is not null and account_index is not null
      and (erased_at is not null or num_nulls(recipient_name, account_last4, recipient_encrypted) = 0))
  ) not valid,
  add constraint payouts_erased check (
    erased_at is null or num_nonnulls(recipient_name, account_last4, recipient_encrypted, bank_recipient_encrypted) = 0
  ) not valid;
grant update (erased_at, created_by) on kelpie.payouts to kelpie_payouts;

-- The rows that name a member. Triggers let these columns change for an erasure alone (kelpie.is_erasure).
create policy payouts_erase on kelpie.payout_history to kelpie_payouts using (true) with check (true);
create policy payouts_erase on kelpie.activity to kelpie_payouts using (true) with check (true);
create policy payouts_erase on kelpie.activity_pages to kelpie_payouts using (true) with check (true);
create policy payouts_erase on kelpie.security_events to kelpie_payouts using (true) with check (true);
create policy payouts_erase on kelpie.events to kelpie_payouts using (true) with check (true);
grant select, update (by) on kelpie.payout_history to kelpie_payouts;
grant select, update (by, detail) on kelpie.activity to kelpie_payouts;
grant select, update (entries) on kelpie.activity_pages to kelpie_payouts;
grant select, update (by, detail, network, browser) on kelpie.security_events to kelpie_payouts;
grant select, update (snapshot) on kelpie.events to kelpie_payouts;
grant update (reason, by) on kelpie.payment_blocks to kelpie_payouts;
grant update (reason, by) on kelpie.payment_block_history to kelpie_payouts;
grant select (contact_email, billing_email), update (contact_email, billing_email) on kelpie.partners to kelpie_payouts;

-- The address that a proposal is about, until it is decided or has expired: proposals and the audit log are kept for ever.
create table kelpie.erasure_requests (
  proposal_id uuid primary key,
  email_encrypted bytea not null,
  requested_at timestamptz not null
);
comment on table kelpie.erasure_requests is '@bounded @shared One row per erasure of a member that waits for approval.';
grant select, insert, delete on kelpie.erasure_requests to kelpie_payouts;
grant select on kelpie.erasure_requests to kelpie_reader;

-- What jobs that forget removed, by day: counts only.
create table kelpie.retention_runs (
  job text not null check (job ~ '^[a-z-]{1,40}$'),
  on_day date not null,
  -- Rows deleted or erased; for old-partitions, months.
  removed bigint not null check (removed >= 0),
  last_run_at timestamptz not null,
  -- Until when everything has been looked at, for a job that goes on from there.
  seen_until timestamptz,
  primary key (job, on_day)
);
comment on table kelpie.retention_runs is '@bounded @shared A row per job and day.';
grant select on kelpie.retention_runs to kelpie_reader, kelpie_service;
grant select, insert, update (removed, last_run_at, seen_until) on kelpie.retention_runs to kelpie_payouts;

-- kelpie.forget_member.
grant delete, update (invited_by) on kelpie.members to kelpie_access;
