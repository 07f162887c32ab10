-- Top-ups: where a partner sends money to its wallet, what was received, and when the wallet runs low.

-- Where a partner's top-ups arrive at the bank: an account for pounds, an address for USDC. A worker reads the bank's list
-- when it is due, and webhooks make it due.
create table kelpie.funding_sources (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  method text not null check (method in ('bank_transfer', 'usdc')),
  -- The bank's own id.
  source_id text not null check (char_length(source_id) between 1 and 200),
  chain text,
  address text check (char_length(address) between 1 and 200),
  -- The account details, encrypted as all bank details are.
  details_encrypted bytea,
  opened_at timestamptz not null,
  -- The newest line of the bank's list up to which nothing can still change.
  read_upto text,
  -- How far back to read all the same, because the bank has news of something older.
  backfill_to timestamptz,
  due_at timestamptz not null,
  -- How many webhooks arrived: one that arrives during a read makes it necessary to read again.
  wakes bigint not null default 0,
  -- When there was last something new.
  changed_at timestamptz not null,
  unique (partner_id, environment, method),
  unique (environment, source_id),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment),
  check ((method = 'usdc') = (address is not null) and (method = 'usdc') = (chain is not null)),
  check ((method = 'bank_transfer') = (details_encrypted is not null))
);
comment on table kelpie.funding_sources is '@bounded Two rows per partner and environment: where it sends top-ups.';
create index funding_sources_due on kelpie.funding_sources (due_at);
select kelpie.protect_partner_table('funding_sources');
create policy payouts_all on kelpie.funding_sources to kelpie_payouts using (true) with check (true);
grant select, insert, update (read_upto, backfill_to, due_at, changed_at) on kelpie.funding_sources to kelpie_service;
grant select on kelpie.funding_sources to kelpie_reader;
grant select, update (backfill_to, due_at, wakes) on kelpie.funding_sources to kelpie_payouts;

-- One row for each deposit that the bank lists, whatever becomes of it.
create table kelpie.deposits (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  method text not null check (method in ('bank_transfer', 'usdc')),
  -- The bank's own id. Each environment has a bank of its own, with ids of its own.
  bank_deposit_id text not null check (char_length(bank_deposit_id) between 1 and 200),
  state text not null check (state in ('pending', 'credited', 'refunded', 'reversed')),
  -- Counts changes, which are the rows of deposit_history. A change names the revision it builds on.
  revision integer not null check (revision > 0), -- squawk-ignore prefer-bigint-over-int
  bank_state text not null,
  -- When the bank's list first had it.
  listed_at timestamptz,
  sent_pence bigint check (sent_pence > 0),
  -- What it adds to the wallet, and what the bank kept.
  net_micro_usdc bigint check (net_micro_usdc > 0),
  fee_micro_usdc bigint check (fee_micro_usdc >= 0),
  gbp_per_usd_millionths bigint check (gbp_per_usd_millionths > 0),
  -- What the bank reversed; what of that the wallet did not hold; and what of this deposit repaid such a debt.
  reversed_micro_usdc bigint check (reversed_micro_usdc > 0),
  owed_micro_usdc bigint not null default 0 check (owed_micro_usdc >= 0),
  repaid_micro_usdc bigint not null default 0 check (repaid_micro_usdc >= 0),
  -- Who sent it, with which reference: encrypted.
  sender_encrypted bytea,
  -- Why a person has to look at it.
  trouble text check (char_length(trouble) between 1 and 200),
  credited_at timestamptz,
  updated_at timestamptz not null,
  -- What is credited for a deposit is credited once.
  unique (environment, bank_deposit_id),
  unique (id, partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment),
  check ((state in ('credited', 'reversed')) = (credited_at is not null)),
  check (state not in ('credited', 'reversed') or net_micro_usdc is not null),
  check ((state = 'reversed') = (reversed_micro_usdc is not null)),
  check (owed_micro_usdc <= coalesce(reversed_micro_usdc, 0)),
  check (repaid_micro_usdc <= case when credited_at is null then 0 else net_micro_usdc end)
);
comment on table kelpie.deposits is '@grows @kept-whole One row per top-up. The bank''s id is unique for ever.';
create index deposits_of_partner on kelpie.deposits (partner_id, environment, id);
create index deposits_pending on kelpie.deposits (partner_id, environment) where state = 'pending';
-- What is owed for reversed deposits: as a rule no row.
create index deposits_owed on kelpie.deposits (partner_id, environment) where owed_micro_usdc > 0 or repaid_micro_usdc > 0;
select kelpie.protect_partner_table('deposits');
create trigger legal_transitions before insert or update on kelpie.deposits
  for each row execute function kelpie.refuse_illegal_deposit_transition();
create policy payouts_see on kelpie.deposits for select to kelpie_payouts using (true);
grant select, insert, update (
  state, revision, bank_state, sent_pence, net_micro_usdc, fee_micro_usdc, gbp_per_usd_millionths, reversed_micro_usdc,
  owed_micro_usdc, repaid_micro_usdc, sender_encrypted, trouble, credited_at, updated_at
) on kelpie.deposits to kelpie_service;
grant select on kelpie.deposits to kelpie_reader;
grant select (environment, bank_deposit_id, listed_at) on kelpie.deposits to kelpie_payouts;

-- Every change of a deposit: what happened, and the transfer that was posted with it.
create table kelpie.deposit_history (
  deposit_id uuid not null,
  number integer not null check (number > 0), -- squawk-ignore prefer-bigint-over-int
  partner_id uuid not null,
  environment kelpie.environment not null,
  at timestamptz not null,
  state text not null,
  what text not null check (what ~ '^[a-z_]{1,40}$'),
  bank_state text not null,
  detail text check (char_length(detail) <= 200),
  transfer_id uuid,
  primary key (deposit_id, number),
  foreign key (deposit_id, partner_id, environment) references kelpie.deposits (id, partner_id, environment)
);
comment on table kelpie.deposit_history is '@grows @kept-whole A few rows per deposit.';
select kelpie.protect_partner_table('deposit_history');
select kelpie.make_insert_only('deposit_history');
grant select, insert on kelpie.deposit_history to kelpie_service;
grant select on kelpie.deposit_history to kelpie_reader;

-- Wallets below their partner's threshold: since when, and when the partner was notified.
create table kelpie.wallet_alerts (
  partner_id uuid not null,
  environment kelpie.environment not null,
  low_since timestamptz,
  -- When the partner was last notified, and for which threshold; null again once the wallet clearly holds more.
  notified_at timestamptz,
  threshold_micro_usdc bigint not null,
  primary key (partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.wallet_alerts is '@bounded One row per wallet that was ever below its partner''s threshold.';
select kelpie.protect_partner_table('wallet_alerts');
create policy payouts_see on kelpie.wallet_alerts for select to kelpie_payouts using (true);
grant select, insert, update (low_since, notified_at, threshold_micro_usdc) on kelpie.wallet_alerts to kelpie_service;
grant select on kelpie.wallet_alerts to kelpie_reader, kelpie_payouts;
