-- Reconciliation at any load: what need not be read again, and where a run that was killed goes on.

-- What the entries of bank_wallet before a month sum to. Ledger rows are only inserted, so it is true for ever.
create table kelpie.bank_wallet_sums (
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- The first instant that is not in it: a month's beginning in UTC, as the ledger's partitions have it.
  sum_until timestamptz not null,
  micro_usdc bigint not null,
  summed_at timestamptz not null,
  primary key (partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.bank_wallet_sums is '@bounded One row per partner and environment at a bank.';
select kelpie.protect_partner_table('bank_wallet_sums');
grant select, insert, update on kelpie.bank_wallet_sums to kelpie_service;
grant select on kelpie.bank_wallet_sums to kelpie_reader;

-- How far the scheduled run has compared a partner's transfers. The row is gone once the partner is done.
create table kelpie.reconciliation_progress (
  partner_id uuid not null,
  environment kelpie.environment not null,
  run_id uuid not null references kelpie.reconciliations (id),
  -- The attempt that goes on with it. One that lost it to a later attempt stops at its next page.
  attempt_id uuid not null,
  -- Where both lists go on, what was counted, and ids of what waits for its other half. No name and no bank details.
  state jsonb not null,
  saved_at timestamptz not null,
  primary key (partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.reconciliation_progress is '@bounded One row for each partner and environment that is being compared.';
select kelpie.protect_partner_table('reconciliation_progress');
grant select, insert, update, delete on kelpie.reconciliation_progress to kelpie_service;
grant select on kelpie.reconciliation_progress to kelpie_reader;

-- Up to when the bank's list was searched for payments that came back late.
create table kelpie.late_return_searches (
  partner_id uuid not null,
  environment kelpie.environment not null,
  searched_until timestamptz not null,
  primary key (partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.late_return_searches is '@bounded One row per partner and environment at a bank.';
select kelpie.protect_partner_table('late_return_searches');
grant select, insert, update on kelpie.late_return_searches to kelpie_service;
grant select on kelpie.late_return_searches to kelpie_reader;
