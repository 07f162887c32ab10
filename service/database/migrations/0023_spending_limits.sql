-- How much may leave in a day in London: from a partner's environment, by each API key, and to an account that was not paid
-- before. create_payouts judges and counts under the wallet's lock; apply_transitions gives back what was never sent.

-- What a partner's environment may pay. Without a row: 50,000.00 a day and 20,000.00 to a new payee in live, and no limit in
-- sandbox (kelpie.limits_of).
create table kelpie.spending_limits (
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- Null is no limit, which only a sandbox can have.
  daily_pence bigint,
  new_payee_pence bigint,
  -- How far the partner's admins can raise both. An operator sets it.
  highest_daily_pence bigint,
  primary key (partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment),
  -- One payout of the largest amount always fits.
  constraint spending_limits_lowest check (
    daily_pence >= 2000000 and new_payee_pence >= 2000000 and highest_daily_pence >= 2000000
  ),
  constraint spending_limits_highest check (daily_pence <= highest_daily_pence and new_payee_pence <= highest_daily_pence),
  -- 100 million pounds: no sum of a day comes near the end of the numbers.
  constraint spending_limits_most check (
    daily_pence <= 10000000000 and new_payee_pence <= 10000000000 and highest_daily_pence <= 10000000000
  ),
  constraint spending_limits_of_live check (
    environment <> 'live' or num_nulls(daily_pence, new_payee_pence, highest_daily_pence) = 0
  )
);
comment on table kelpie.spending_limits is '@bounded At most two rows per partner; none where the defaults hold.';
select kelpie.protect_partner_table('spending_limits', service_may => 'select');
create policy payouts_all on kelpie.spending_limits to kelpie_payouts using (true) with check (true);
-- Only through functions: kelpie.set_spending_limits, kelpie.operator_lower_limit and kelpie.operator_raise_limit.
grant select on kelpie.spending_limits to kelpie_service, kelpie_reader;
grant select, insert, update (daily_pence, new_payee_pence, highest_daily_pence)
  on kelpie.spending_limits to kelpie_payouts;

-- What was created on a day, less what was given back.
create table kelpie.daily_spending (
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- The day in London.
  on_day date not null,
  -- Empty for the partner, the 16 bytes of an API key's id, or the 32 bytes of a new payee's account index.
  subject bytea not null,
  spent_pence bigint not null check (spent_pence >= 0),
  -- The limit in force when it last grew. Null where there was none.
  limit_pence bigint,
  primary key (partner_id, environment, on_day, subject),
  constraint daily_spending_subject check (octet_length(subject) in (0, 16, 32)),
  constraint daily_spending_within_limit check (spent_pence <= limit_pence)
) with (fillfactor = 50);
comment on table kelpie.daily_spending is '@bounded @by-function Counters of the last 40 days; a job deletes older ones.';
-- The totals of a day, for the job that looks for unusual volume.
create index daily_spending_totals on kelpie.daily_spending (on_day, environment, partner_id) where subject = '';
select kelpie.protect_partner_table('daily_spending', service_may => 'select');
create policy payouts_all on kelpie.daily_spending to kelpie_payouts using (true) with check (true);
grant select on kelpie.daily_spending to kelpie_service, kelpie_reader;
grant select, insert, update (spent_pence, limit_pence), delete on kelpie.daily_spending to kelpie_payouts;

-- Accounts to which a payout was completed: they are no new payees any more. Kept for live, and for a sandbox with limits.
create table kelpie.paid_accounts (
  partner_id uuid not null,
  environment kelpie.environment not null,
  account_index bytea not null check (octet_length(account_index) = 32),
  primary key (partner_id, environment, account_index)
);
comment on table kelpie.paid_accounts is '@grows @kept-whole @by-function One row for each account that was paid.';
select kelpie.protect_partner_table('paid_accounts', service_may => 'select');
select kelpie.make_insert_only('paid_accounts');
create policy payouts_all on kelpie.paid_accounts to kelpie_payouts using (true) with check (true);
grant select on kelpie.paid_accounts to kelpie_service, kelpie_reader;
grant select, insert on kelpie.paid_accounts to kelpie_payouts;

-- Days on which a partner's admins were emailed about unusual volume.
create table kelpie.volume_alerts (
  partner_id uuid not null,
  environment kelpie.environment not null,
  on_day date not null,
  notified_at timestamptz not null,
  primary key (partner_id, environment, on_day),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.volume_alerts is '@bounded At most one row per partner and day; a job deletes old ones.';
select kelpie.protect_partner_table('volume_alerts');
create policy payouts_all on kelpie.volume_alerts to kelpie_payouts using (true) with check (true);
grant select, insert on kelpie.volume_alerts to kelpie_service;
grant select on kelpie.volume_alerts to kelpie_reader;
grant select, delete on kelpie.volume_alerts to kelpie_payouts;

alter table kelpie.payouts
  -- The API key that created it; null for a person.
  add column api_key_id uuid,
  -- The day in London on which it counts toward the limits; null where nothing was counted.
  add column counted_on date,
  add column counted_new_payee boolean not null default false,
  -- The change by which the limits got it back: it ended on the same day, and nothing was ever sent.
  add column given_back_revision integer, -- squawk-ignore prefer-bigint-over-int
  -- The table has no release behind it, so it is checked at once.
  -- squawk-ignore constraint-missing-not-valid
  add constraint payouts_counted check (
    counted_on is not null or (not counted_new_payee and given_back_revision is null)
  );
grant update (given_back_revision) on kelpie.payouts to kelpie_payouts;

-- Accounts that were paid before. The owner sees no partner's rows, so this is done as the role that may.
set local role kelpie_payouts;
insert into kelpie.paid_accounts (partner_id, environment, account_index)
select distinct p.partner_id, p.environment, p.account_index from kelpie.payouts p
where p.environment = 'live' and p.completed_at is not null and p.account_index is not null;
-- Two signatures back, and no longer called.
drop function if exists kelpie.create_payouts(
  uuid[], kelpie.environment[], uuid[], uuid[], uuid[], text[], bytea[], timestamptz[], integer[], timestamptz[],
  kelpie.rail[], kelpie.payout_state[], text[], text[], bigint[], bigint[], bigint[], bigint[], bigint[], text[], text[],
  text[], bytea[], bytea[], text[], text[], text[], text[], bigint[], text[], text[], timestamptz[], timestamptz[], uuid[],
  integer[], text[], integer[], uuid[], integer[], integer[], bytea[], bytea[], bytea[], integer[], boolean[], uuid[],
  smallint[], kelpie.ledger_account[], bigint[], text[]
);
reset role;
