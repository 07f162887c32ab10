-- Our books against the bank's records, run by run, and the cases that a person has to look at.

create table kelpie.reconciliations (
  id uuid primary key,
  -- An operator's name, or the schedule.
  asked_by text not null check (char_length(asked_by) between 1 and 80),
  started_at timestamptz not null,
  -- Only what was final before this instant is compared.
  cut_off_at timestamptz not null check (cut_off_at <= started_at),
  -- Set where only one partner, or only lines since an instant, were compared: such a run says nothing about the rest.
  of_partner uuid references kelpie.partners (id),
  lines_from timestamptz check (lines_from < cut_off_at),
  finished_at timestamptz,
  -- 'incomplete' is a run that could not compare everything.
  state text not null default 'running' check (state in ('running', 'clean', 'differences', 'incomplete')),
  check ((state = 'running') = (finished_at is null))
);
comment on table kelpie.reconciliations is '@grows @kept-whole @shared One row per run: one each working day, and those on request.';
grant select, insert, update (finished_at, state) on kelpie.reconciliations to kelpie_service;
grant select on kelpie.reconciliations to kelpie_reader;
grant select (id, started_at) on kelpie.reconciliations to kelpie_payouts;

-- What a run found for one partner and environment.
create table kelpie.reconciled_environments (
  run_id uuid not null references kelpie.reconciliations (id),
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- Lines from here up to the run's cut-off were compared; null where it was everything.
  from_at timestamptz,
  transfers bigint not null check (transfers >= 0),
  deposits bigint not null check (deposits >= 0),
  -- Lines in flight at the cut-off, on either side: no difference, and compared by a later run.
  in_flight bigint not null check (in_flight >= 0),
  -- What our books and the bank say it keeps, and what of that is explained by what is in flight. Null where the bank did
  -- not answer, or the balance did not stand still for long enough.
  ours_micro_usdc bigint,
  bank_micro_usdc bigint,
  in_flight_micro_usdc bigint,
  differences bigint not null check (differences >= 0),
  -- Among them those whose cases an operator has closed.
  known bigint not null check (known >= 0),
  -- Why it is incomplete; null where it is complete.
  trouble text check (char_length(trouble) between 1 and 200),
  -- Up to where all lines were compared, by this run or an earlier one; null where none could yet.
  compared_upto timestamptz,
  finished_at timestamptz not null,
  primary key (run_id, partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.reconciled_environments is '@grows @kept-whole One row per run, partner and environment at a bank.';
create index reconciled_environments_of_partner on kelpie.reconciled_environments (partner_id, environment, finished_at);
select kelpie.protect_partner_table('reconciled_environments');
select kelpie.make_insert_only('reconciled_environments');
grant select, insert on kelpie.reconciled_environments to kelpie_service;
grant select on kelpie.reconciled_environments to kelpie_reader;

-- What a person has to look at: a payout, or a difference that a reconciliation found.
create table kelpie.cases (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  payout_id uuid,
  kind text not null check (kind ~ '^[a-z_]{1,40}$'),
  detail text not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  closed_by text,
  -- What a difference is about, by the bank's id: a transfer, a deposit, a wallet. Null for a case about a payout.
  subject text,
  -- The same in our books, where there is one.
  related_id uuid,
  -- The bank's figure less ours. Null where it is not about an amount.
  difference_micro_usdc bigint,
  -- How many runs saw it, and which was the last.
  seen bigint,
  last_run_id uuid,
  last_seen_at timestamptz,
  -- Since when the difference is gone; null while it is there.
  gone_at timestamptz,
  closed_reason text,
  check ((closed_at is null) = (closed_by is null)),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment),
  constraint cases_subject_check check (char_length(subject) between 1 and 200),
  constraint cases_reason_check check (char_length(closed_reason) between 1 and 500),
  constraint cases_origin_check check (
    (payout_id is null) = (subject is not null) and (subject is null) = (seen is null) and (seen is null) = (last_run_id is null)
    and (seen is null) = (last_seen_at is null) and (gone_at is null or subject is not null)
  )
);
comment on table kelpie.cases is '@bounded One row for each problem that a person has to look at.';
-- One of a kind is open for a payout at a time.
create unique index cases_open on kelpie.cases (payout_id, kind) where closed_at is null;
create unique index cases_whole on kelpie.cases (id, partner_id, environment);
-- The same difference is the same case until an operator closes it.
create unique index cases_of_differences on kelpie.cases (partner_id, environment, kind, subject)
  where closed_at is null and subject is not null;
create index cases_by_subject on kelpie.cases (partner_id, environment, subject);
select kelpie.protect_partner_table('cases');
create policy payouts_all on kelpie.cases to kelpie_payouts using (true) with check (true);
-- A run may see a difference again, or find it gone. Only operators close cases, by a function.
grant select, insert, update (detail, difference_micro_usdc, related_id, seen, last_run_id, last_seen_at, gone_at)
  on kelpie.cases to kelpie_service;
grant select on kelpie.cases to kelpie_reader;
grant select, insert, update (closed_at, closed_by, closed_reason) on kelpie.cases to kelpie_payouts;

-- What happened to a case.
create table kelpie.case_history (
  case_id uuid not null,
  number integer not null check (number > 0), -- squawk-ignore prefer-bigint-over-int
  partner_id uuid not null,
  environment kelpie.environment not null,
  at timestamptz not null,
  what text not null check (what in ('opened', 'changed', 'gone', 'back', 'corrected', 'closed')),
  -- An operator, or the run that found it.
  by text not null check (char_length(by) between 1 and 80),
  detail text not null check (char_length(detail) <= 500),
  transfer_ids uuid[] not null default '{}',
  primary key (case_id, number),
  foreign key (case_id, partner_id, environment) references kelpie.cases (id, partner_id, environment)
);
comment on table kelpie.case_history is '@bounded A few rows per case.';
select kelpie.protect_partner_table('case_history');
select kelpie.make_insert_only('case_history');
create policy payouts_all on kelpie.case_history to kelpie_payouts using (true) with check (true);
grant select, insert on kelpie.case_history to kelpie_service, kelpie_payouts;
grant select on kelpie.case_history to kelpie_reader;
