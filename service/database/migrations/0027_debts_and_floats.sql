-- What partners owe, and the house's own money at the banks: so that no wallet shows money that its bank lacks.

-- What partners owe, as a figure that is kept: docs/ledger.md says when it grows and what repays it.

-- Changed by post_transfers alone, together with the entries of partner_receivable.
create table kelpie.debts (
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- More can't be repaid than is owed.
  owed_micro_usdc bigint not null check (owed_micro_usdc >= 0),
  changed_at timestamptz not null,
  primary key (partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.debts is '@bounded One row per partner and environment that ever owed something.';
select kelpie.protect_partner_table('debts', service_may => 'select');
create policy ledger_all on kelpie.debts to kelpie_ledger using (true) with check (true);
create policy payouts_see on kelpie.debts for select to kelpie_payouts using (true);
grant select on kelpie.debts to kelpie_service, kelpie_reader, kelpie_payouts;
grant select, insert, update (owed_micro_usdc, changed_at) on kelpie.debts to kelpie_ledger;
-- A debt blocks payments from the commit that makes it to the one that repays it.
create trigger block_in_step after insert or update of owed_micro_usdc on kelpie.debts
  for each row execute function kelpie.keep_debt_block();

-- What was owed before. The owner sees no partner's rows, so this is done as the role that may.
create policy ledger_once on kelpie.deposits for select to kelpie_ledger using (true);
grant select on kelpie.deposits to kelpie_ledger;
set local role kelpie_ledger;
insert into kelpie.debts (partner_id, environment, owed_micro_usdc, changed_at)
select d.partner_id, d.environment, sum(d.owed_micro_usdc) - sum(d.repaid_micro_usdc), now() from kelpie.deposits d
where d.owed_micro_usdc > 0 or d.repaid_micro_usdc > 0
group by d.partner_id, d.environment having sum(d.owed_micro_usdc) > sum(d.repaid_micro_usdc);
reset role;
revoke select on kelpie.deposits from kelpie_ledger;
drop policy ledger_once on kelpie.deposits;

-- The house float: Kelpie's own wallet at each bank, from which partners' bank wallets are topped up and into which gains
-- are swept. docs/float.md says when, and how much.

alter type kelpie.ledger_account add value 'house_float' after 'exception_loss';
alter type kelpie.ledger_account add value 'float_in_transit' after 'house_float';

-- Sums of the house's accounts (kelpie.house_accounts), so that no job adds up the whole ledger every minute. A posting
-- only adds a row to house_changes: at one row per partner, every payout that arrives would wait for the one before it.
create table kelpie.house_sums (
  partner_id uuid not null,
  environment kelpie.environment not null,
  account kelpie.ledger_account not null,
  sum_micro_usdc bigint not null,
  primary key (partner_id, environment, account),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.house_sums is '@bounded At most six rows per partner and environment.';
select kelpie.protect_partner_table('house_sums', service_may => 'select');
create policy ledger_all on kelpie.house_sums to kelpie_ledger using (true) with check (true);
create policy payouts_see on kelpie.house_sums for select to kelpie_payouts using (true);
grant select on kelpie.house_sums to kelpie_service, kelpie_reader, kelpie_payouts;
grant select, insert, update (sum_micro_usdc) on kelpie.house_sums to kelpie_ledger;

create table kelpie.house_changes (
  number bigint primary key generated always as identity,
  partner_id uuid not null,
  environment kelpie.environment not null,
  account kelpie.ledger_account not null,
  amount bigint not null,
  -- The day in London.
  on_day date not null
);
comment on table kelpie.house_changes is '@bounded @by-function What kelpie.fold_house_changes has not added up yet: a minute''s.';
create index house_changes_of_partner on kelpie.house_changes (partner_id, environment);
select kelpie.protect_partner_table('house_changes', service_may => 'select');
create policy ledger_all on kelpie.house_changes to kelpie_ledger using (true) with check (true);
create policy payouts_see on kelpie.house_changes for select to kelpie_payouts using (true);
grant select on kelpie.house_changes to kelpie_service, kelpie_reader, kelpie_payouts;
grant select, insert, delete on kelpie.house_changes to kelpie_ledger;

-- What rate differences and failures cost on a day, over all partners; below zero where they gained.
create table kelpie.daily_losses (
  environment kelpie.environment not null,
  on_day date not null,
  loss_micro_usdc bigint not null,
  -- Past it, live payments stop. Each time they do, it moves on by the limit, so that operators can let them go on.
  stops_above_micro_usdc bigint,
  primary key (environment, on_day)
);
comment on table kelpie.daily_losses is '@bounded @shared One row per day and environment.';
grant select on kelpie.daily_losses to kelpie_service, kelpie_reader;
grant select, insert, update (loss_micro_usdc) on kelpie.daily_losses to kelpie_ledger;
grant select, update (stops_above_micro_usdc) on kelpie.daily_losses to kelpie_payouts;

-- Moves between the float and a partner's bank wallet: one row each, written before the bank is asked.
create table kelpie.float_moves (
  -- Our reference at the bank is made of it, and so is the key that keeps a repeat from moving twice.
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  kind text not null check (kind in ('top_up', 'sweep')),
  amount_micro_usdc bigint not null check (amount_micro_usdc between 1 and 2500000000),
  state text not null check (state in ('open', 'done', 'failed')),
  bank_payment_id text check (char_length(bank_payment_id) between 1 and 200),
  bank_state text check (char_length(bank_state) <= 200),
  created_at timestamptz not null,
  finished_at timestamptz,
  -- The ledger's transfers, first of its beginning and then of its end.
  transfer_ids uuid[] not null,
  unique (id, partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment),
  check ((state = 'open') = (finished_at is null)),
  check (cardinality(transfer_ids) = case state when 'open' then 1 else 2 end)
);
comment on table kelpie.float_moves is '@grows @kept-whole A few rows per partner and month.';
-- One at a time: the next is judged by what the one before it did.
create unique index float_moves_open on kelpie.float_moves (partner_id, environment) where state = 'open';
create index float_moves_of_day on kelpie.float_moves (environment, created_at);
create index float_moves_of_partner on kelpie.float_moves (partner_id, environment, created_at);
select kelpie.protect_partner_table('float_moves');
create trigger legal_transitions before update on kelpie.float_moves
  for each row execute function kelpie.refuse_illegal_float_transition();
create policy payouts_see on kelpie.float_moves for select to kelpie_payouts using (true);
grant select, insert, update (state, bank_payment_id, bank_state, finished_at, transfer_ids)
  on kelpie.float_moves to kelpie_service;
grant select on kelpie.float_moves to kelpie_reader, kelpie_payouts;
