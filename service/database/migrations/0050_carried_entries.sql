-- What stays in the database of entries of the ledger that are in files outside it (docs/archive.md).

-- Since when the database is without the rows of a month.
alter table kelpie.archived_months add column left_at timestamptz;

-- What the entries of a month that leave sum to: of a partner, account and reason, in a month of London. It counts from when they
-- have left (kelpie.booked_entries).
create table kelpie.carried_entries (
  month date not null references kelpie.archived_months (month) on delete cascade,
  partner_id uuid not null,
  environment kelpie.environment not null,
  account kelpie.ledger_account not null,
  reason text not null,
  -- London's month, which invoices and statements are of.
  period text not null check (period ~ '^[0-9]{4}-[0-9]{2}$'),
  amount bigint not null,
  entries bigint not null check (entries > 0),
  -- The lowest of them.
  transfer_id uuid not null,
  cause_id uuid not null,
  -- Of a wallet: the numbers of the first and the last, and what it held before the one and after the other.
  first_version bigint,
  held_before bigint,
  last_version bigint,
  held_after bigint,
  primary key (month, partner_id, environment, account, reason, period),
  check (num_nulls(first_version, held_before, last_version, held_after) = case account when 'wallet' then 0 else 4 end)
);
comment on table kelpie.carried_entries is
  '@bounded @by-function Some rows per partner, environment and archived month.';
create index carried_entries_of_partner on kelpie.carried_entries (partner_id, environment, account);
create index carried_entries_of_wallet on kelpie.carried_entries (partner_id, environment, last_version)
  where account = 'wallet';
select kelpie.protect_partner_table('carried_entries', service_may => 'select');
create policy ledger_all on kelpie.carried_entries to kelpie_ledger using (true) with check (true);
create policy payouts_own on kelpie.carried_entries for select to kelpie_payouts
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
grant select on kelpie.carried_entries to kelpie_service, kelpie_reader, kelpie_payouts;
grant select, insert, update, delete on kelpie.carried_entries to kelpie_ledger;

-- The bounds of statements that entries of an archived month are on, as they were read before these left.
create table kelpie.archived_statements (
  month date not null references kelpie.archived_months (month) on delete cascade,
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- London's month that the statement is of: the archived one, or the one before or after it.
  london_month date not null check (extract(day from london_month) = 1),
  began_at timestamptz not null,
  ended_at timestamptz not null,
  first_number bigint not null,
  next_number bigint not null,
  opening_balance bigint not null,
  closing_balance bigint not null,
  held_after bigint not null,
  movements bigint not null,
  moved numeric not null,
  primary key (partner_id, environment, london_month, month)
);
comment on table kelpie.archived_statements is
  '@bounded @by-function At most three rows per wallet and archived month.';
create index archived_statements_of_month on kelpie.archived_statements (month);
select kelpie.protect_partner_table('archived_statements', service_may => 'select');
create policy ledger_all on kelpie.archived_statements to kelpie_ledger using (true) with check (true);
grant select on kelpie.archived_statements to kelpie_service, kelpie_reader;
grant select, insert, delete on kelpie.archived_statements to kelpie_ledger;

-- The entries of the ledger as totals are read from them: those that have left count as what was carried.
create view kelpie.booked_entries with (security_invoker = true) as
select e.transfer_id, e.partner_id, e.environment, e.account, e.amount, e.reason, e.cause_id
from kelpie.ledger_entries e
union all
select c.transfer_id, c.partner_id, c.environment, c.account, c.amount, c.reason, c.cause_id
from kelpie.carried_entries c
where exists (select from kelpie.archived_months m where m.month = c.month and m.left_at is not null);
grant select on kelpie.booked_entries to kelpie_service, kelpie_reader, kelpie_payouts, kelpie_ledger;
grant select on kelpie.archived_months to kelpie_ledger;
