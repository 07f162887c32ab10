-- The ledger: double entry, integers only, insert-only. docs/ledger.md lists the accounts and the entries of each event.

-- The one account with a live balance: every other is the sum of its entries, or each payout would queue at one row.
-- Few rows to a page, so that an update finds room beside the old version and touches no index.
create table kelpie.wallets (
  partner_id uuid not null,
  environment kelpie.environment not null,
  balance_micro_usdc bigint not null default 0 check (balance_micro_usdc >= 0),
  -- How many entries the wallet has had. The newest carries this number and this balance.
  version bigint not null default 0,
  primary key (partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
) with (fillfactor = 10);
comment on table kelpie.wallets is '@bounded One row per partner and environment: the money it can pay with.';
select kelpie.protect_partner_table('wallets', service_may => 'select');
create policy service_open on kelpie.wallets for insert to kelpie_service
  with check (
    partner_id = kelpie.current_partner() and environment = kelpie.current_environment()
    and balance_micro_usdc = 0 and version = 0
  );
create policy ledger_all on kelpie.wallets to kelpie_ledger using (true) with check (true);
create policy payouts_see on kelpie.wallets for select to kelpie_payouts using (true);
create policy payouts_open on kelpie.wallets for insert to kelpie_payouts
  with check (environment = 'live' and balance_micro_usdc = 0 and version = 0);
grant select, insert on kelpie.wallets to kelpie_service;
grant select on kelpie.wallets to kelpie_reader;
grant select, update on kelpie.wallets to kelpie_ledger;
grant select (partner_id, environment, balance_micro_usdc), insert (partner_id, environment) on kelpie.wallets to kelpie_payouts;

-- A transfer is the entries that share a transfer_id; it sums to zero in each currency. A debit is positive. post_transfers
-- is the only writer, and keeps the rules that are about currencies and reasons: as checks of this table they would be
-- planned anew for every insert (docs/performance.md).
create table kelpie.ledger_entries (
  transfer_id uuid not null,
  -- squawk-ignore prefer-bigint-over-smallint
  line smallint not null check (line between 1 and 16),
  partner_id uuid not null,
  environment kelpie.environment not null,
  account kelpie.ledger_account not null,
  amount bigint not null check (amount <> 0),
  reason text not null check (char_length(reason) between 1 and 60),
  -- What the transfer was posted for: a payout, a deposit, a case.
  cause_id uuid not null,
  wallet_balance_after bigint check (wallet_balance_after >= 0),
  wallet_version bigint check (wallet_version > 0),
  primary key (transfer_id, line),
  check (
    (account = 'wallet') = (wallet_balance_after is not null)
    and (account = 'wallet') = (wallet_version is not null)
  )
) partition by range (transfer_id);
comment on table kelpie.ledger_entries is '@grows @by-function About three rows per payout and as many for its end.';
-- What invoices are gathered from, with all that is added up: ten thousand payouts are read from a few hundred pages.
create index ledger_entries_to_invoice on kelpie.ledger_entries (partner_id, transfer_id)
  include (environment, account, amount, reason)
  where account in ('receivable', 'credit_due', 'accrued');
-- A statement is read by number: each movement of a wallet has the next one.
create index ledger_entries_of_wallet on kelpie.ledger_entries (partner_id, environment, wallet_version)
  where account = 'wallet';
-- What the books say the bank keeps for a partner, in total and per cause, read from the index alone.
create index ledger_entries_at_bank on kelpie.ledger_entries (partner_id, environment, cause_id)
  include (transfer_id, amount) where account = 'bank_wallet';
create index ledger_entries_in_suspense on kelpie.ledger_entries (partner_id, environment)
  include (amount) where account = 'suspense';
select kelpie.protect_partner_table('ledger_entries', service_may => 'select');
select kelpie.make_insert_only('ledger_entries');
create policy ledger_add on kelpie.ledger_entries for insert to kelpie_ledger with check (true);
create policy ledger_see on kelpie.ledger_entries for select to kelpie_ledger using (true);
create policy payouts_own on kelpie.ledger_entries for select to kelpie_payouts
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
grant select on kelpie.ledger_entries to kelpie_service, kelpie_reader, kelpie_payouts;
grant select, insert on kelpie.ledger_entries to kelpie_ledger;

-- A payout's money comes back to its wallet once. The ledger's own entries can't say so by a unique index, because they are
-- partitioned by month.
create table kelpie.payout_refunds (
  payout_id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  transfer_id uuid not null
);
comment on table kelpie.payout_refunds is '@grows @kept-whole @by-function One row per payout that was refunded.';
select kelpie.protect_partner_table('payout_refunds', service_may => 'select');
select kelpie.make_insert_only('payout_refunds');
create policy ledger_add on kelpie.payout_refunds for insert to kelpie_ledger with check (true);
grant select on kelpie.payout_refunds to kelpie_service, kelpie_reader;
grant insert on kelpie.payout_refunds to kelpie_ledger;

-- Until when a partner's books in pounds are closed. It only moves forward, a month at a time.
create table kelpie.closed_books (
  partner_id uuid primary key references kelpie.partners (id),
  closed_until timestamptz not null
);
comment on table kelpie.closed_books is '@bounded One row per partner that has been invoiced.';
select kelpie.protect_partner_table('closed_books', scope => 'partner', service_may => 'select');
create policy ledger_all on kelpie.closed_books to kelpie_ledger using (true) with check (true);
create policy payouts_see on kelpie.closed_books for select to kelpie_payouts using (true);
grant select on kelpie.closed_books to kelpie_service, kelpie_reader, kelpie_payouts;
grant select, insert, update on kelpie.closed_books to kelpie_ledger;
