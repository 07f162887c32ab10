-- Entries of the ledger leave the database with their month (docs/archive.md).

alter table kelpie.archived_months
  add column entries bigint check (entries >= 0),
  -- Of the entries that leave, made by the database: what returns must have it again.
  add column entries_digest text check (entries_digest ~ '^[0-9a-f]{64}$'),
  -- Of what stays in their place: rows of carried_entries and archived_statements.
  add column kept_digest text check (kept_digest ~ '^[0-9a-f]{64}$'),
  -- While it moves: how many entries the database holds of those that leave, and their digest.
  add column held_entries text,
  -- Where this fails, months were archived without their entries: bring them back first.
  -- squawk-ignore constraint-missing-not-valid
  add constraint archived_months_entries check (state = 'writing' or num_nulls(entries, entries_digest, kept_digest) = 0);
grant update (held_entries, kept_digest) on kelpie.archived_months to kelpie_ledger;
grant update (entries, entries_digest, held_entries) on kelpie.archived_months to kelpie_payouts;

-- kelpie.digest_moving_entries: as many entries as the closed days had.
grant select on kelpie.closed_days to kelpie_ledger;

-- kelpie.leaving_entries: a payout leaves whole, by its history.
create policy ledger_see on kelpie.payouts for select to kelpie_ledger using (true);
grant select (id, state) on kelpie.payouts to kelpie_ledger;
create policy ledger_see on kelpie.payout_history for select to kelpie_ledger using (true);
grant select (payout_id, transfer_ids) on kelpie.payout_history to kelpie_ledger;

-- Replaced by one with two more arguments.
drop function if exists kelpie.operator_finish_archive(date, text, bigint, text, text, text, bigint);
