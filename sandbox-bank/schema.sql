-- The bank's whole memory. It is applied at every start, so each statement must be harmless the second time.
-- Amounts are whole numbers: pence, and millionths of a USDC.

-- A schema of its own, which every connection has as its search path: whoever owns the database may make one, while the
-- schema public may be closed to them.
create schema if not exists bank;

create table if not exists bank_state (
  only_row boolean primary key default true check (only_row),
  clock_shift_ms bigint not null default 0,
  webhook_mode text not null default 'normal' check (webhook_mode in ('normal', 'lose', 'repeat', 'shuffle'))
);
insert into bank_state default values on conflict do nothing;

create table if not exists customers (
  id uuid primary key,
  type text not null check (type in ('individual', 'business')),
  full_name text,
  business_name text,
  email text not null,
  created_at timestamptz not null
);
-- Whether the customer may pay out in pounds; null where nobody asked for that.
alter table customers add column if not exists faster_payments text default 'approved'
  check (faster_payments in ('incomplete', 'approved', 'revoked'));

create table if not exists kyc_links (
  seq bigint generated always as identity unique,
  id uuid primary key,
  type text not null check (type in ('individual', 'business')),
  full_name text not null,
  email text not null,
  endorsements text[] not null,
  redirect_uri text,
  -- Where the bank was when it made the link: its pages are part of what it answers.
  bank_url text not null,
  kyc_status text not null check (kyc_status in (
    'not_started', 'incomplete', 'awaiting_questionnaire', 'awaiting_ubo', 'under_review', 'approved', 'rejected',
    'paused', 'offboarded')),
  tos_status text not null check (tos_status in ('pending', 'approved')),
  reason text,
  customer_id uuid references customers (id),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index if not exists kyc_links_by_email on kyc_links (lower(email));

create table if not exists wallets (
  id uuid primary key,
  customer_id uuid not null references customers (id),
  chain text not null,
  address text not null,
  balance_micro_usdc bigint not null check (balance_micro_usdc >= 0),
  created_at timestamptz not null
);

create table if not exists external_accounts (
  -- Lists go by this, not by the time: the clock can be moved back.
  seq bigint generated always as identity unique,
  id uuid primary key,
  customer_id uuid not null references customers (id),
  account_owner_name text not null,
  account_owner_type text not null check (account_owner_type in ('individual', 'business')),
  first_name text,
  last_name text,
  business_name text,
  bank_name text,
  sort_code text not null check (sort_code ~ '^[0-9]{6}$'),
  account_number text not null check (account_number ~ '^[0-9]{8}$'),
  active boolean not null default true,
  deactivation_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (customer_id, sort_code, account_number, account_owner_type, account_owner_name)
);

create table if not exists transfers (
  seq bigint generated always as identity unique,
  id uuid primary key,
  customer_id uuid not null references customers (id),
  wallet_id uuid not null references wallets (id),
  external_account_id uuid not null references external_accounts (id),
  client_reference_id text,
  amount_pence bigint not null check (amount_pence > 0),
  reference text not null,
  taken_micro_usdc bigint not null check (taken_micro_usdc >= 0),
  exchange_fee_micro_usdc bigint not null check (exchange_fee_micro_usdc >= 0),
  refunded_micro_usdc bigint check (refunded_micro_usdc > 0),
  state text not null check (state in (
    'awaiting_funds', 'pending', 'in_review', 'funds_received', 'payment_submitted', 'payment_processed',
    'undeliverable', 'returned', 'refund_in_flight', 'refunded', 'refund_failed', 'missing_return_policy',
    'canceled', 'error')),
  reason text,
  forgotten boolean not null default false,
  next_state text check (next_state in ('payment_submitted', 'payment_processed')),
  next_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((next_state is null) = (next_at is null))
);
create index if not exists transfers_of_customer on transfers (customer_id, seq);
create index if not exists transfers_to_move on transfers (next_at) where next_at is not null;

-- A transfer goes to an account outside, or to another wallet here.
alter table transfers alter column external_account_id drop not null;
alter table transfers alter column amount_pence drop not null;
alter table transfers add column if not exists to_wallet_id uuid references wallets (id)
  check ((to_wallet_id is null) = (external_account_id is not null) and (to_wallet_id is null) = (amount_pence is not null));

-- The number of a test account, whose payments go their own way.
alter table transfers add column if not exists test_account text;
alter table transfers drop constraint if exists transfers_next_state_check;
alter table transfers add constraint transfers_next_state_check
  check (next_state in ('payment_submitted', 'payment_processed', 'undeliverable', 'returned'));

-- What the bank truly did. The three tables below are the judge of every test, so nothing in them is ever changed.
create table if not exists payments (
  transfer_id uuid primary key references transfers (id),
  customer_id uuid not null references customers (id),
  client_reference_id text,
  idempotency_key text,
  amount_pence bigint not null check (amount_pence > 0),
  taken_micro_usdc bigint not null check (taken_micro_usdc >= 0),
  accepted_at timestamptz not null
);
create index if not exists payments_by_reference on payments (client_reference_id);
create index if not exists payments_by_customer on payments (customer_id);

-- One row a transfer at most: whatever happens, money goes back once.
create table if not exists refunds (
  transfer_id uuid primary key references payments (transfer_id),
  customer_id uuid not null references customers (id),
  client_reference_id text,
  micro_usdc bigint not null check (micro_usdc > 0),
  reason text,
  refunded_at timestamptz not null
);
create index if not exists refunds_by_reference on refunds (client_reference_id);
create index if not exists refunds_by_customer on refunds (customer_id);

create table if not exists wallet_movements (
  seq bigint generated always as identity unique,
  id uuid primary key,
  wallet_id uuid not null references wallets (id),
  micro_usdc bigint not null,
  kind text not null check (kind in ('opening', 'transfer', 'refund')),
  transfer_id uuid references transfers (id),
  at timestamptz not null,
  balance_after_micro_usdc bigint not null check (balance_after_micro_usdc >= 0)
);
create index if not exists movements_of_wallet on wallet_movements (wallet_id, seq);

-- How a customer's wallet is topped up: by a bank account of its own, or by an address that tokens are sent to.
create table if not exists virtual_accounts (
  seq bigint generated always as identity unique,
  id uuid primary key,
  customer_id uuid not null references customers (id),
  wallet_id uuid not null references wallets (id),
  account_holder_name text not null,
  sort_code text not null check (sort_code ~ '^[0-9]{6}$'),
  account_number text not null unique check (account_number ~ '^[0-9]{8}$'),
  created_at timestamptz not null
);
create table if not exists liquidation_addresses (
  seq bigint generated always as identity unique,
  id uuid primary key,
  customer_id uuid not null references customers (id),
  wallet_id uuid not null references wallets (id),
  chain text not null,
  address text not null unique,
  created_at timestamptz not null
);

create table if not exists deposits (
  seq bigint generated always as identity unique,
  id uuid primary key,
  customer_id uuid not null references customers (id),
  wallet_id uuid not null references wallets (id),
  virtual_account_id uuid references virtual_accounts (id),
  liquidation_address_id uuid references liquidation_addresses (id),
  -- What was sent: pence by bank transfer, millionths of a USDC to an address.
  sent_pence bigint check (sent_pence > 0),
  sent_micro_usdc bigint check (sent_micro_usdc > 0),
  -- What the wallet gets of it, and what the bank keeps.
  net_micro_usdc bigint not null check (net_micro_usdc > 0),
  fee_micro_usdc bigint not null check (fee_micro_usdc >= 0),
  sender_name text,
  sender_sort_code text,
  sender_account_number text,
  reference text,
  from_address text,
  tx_hash text,
  -- That of the bank's own transaction, once the wallet has the money.
  destination_tx_hash text,
  state text not null check (state in (
    'funds_received', 'in_review', 'payment_submitted', 'payment_processed', 'refunded', 'error')),
  forgotten boolean not null default false,
  next_state text check (next_state in ('payment_submitted', 'payment_processed')),
  next_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((next_state is null) = (next_at is null)),
  check ((virtual_account_id is null) <> (liquidation_address_id is null)),
  check ((virtual_account_id is null) = (sent_pence is null)),
  check ((liquidation_address_id is null) = (sent_micro_usdc is null))
);
create index if not exists deposits_of_address on deposits (liquidation_address_id, seq);
create index if not exists deposits_to_move on deposits (next_at) where next_at is not null;

-- What happened to a bank transfer, as the provider tells it: a row an event, never changed.
create table if not exists virtual_account_events (
  seq bigint generated always as identity unique,
  id uuid primary key,
  virtual_account_id uuid not null references virtual_accounts (id),
  deposit_id uuid not null references deposits (id),
  body jsonb not null,
  created_at timestamptz not null
);
create index if not exists events_of_virtual_account on virtual_account_events (virtual_account_id, seq);

-- What the wallet truly got, and what was truly taken from it again: judges, as the three above.
create table if not exists deposit_credits (
  deposit_id uuid primary key references deposits (id),
  customer_id uuid not null references customers (id),
  wallet_id uuid not null references wallets (id),
  micro_usdc bigint not null check (micro_usdc > 0),
  credited_at timestamptz not null
);
create index if not exists deposit_credits_by_customer on deposit_credits (customer_id);
create table if not exists deposit_reversals (
  deposit_id uuid primary key references deposit_credits (deposit_id),
  customer_id uuid not null references customers (id),
  wallet_id uuid not null references wallets (id),
  micro_usdc bigint not null check (micro_usdc > 0),
  reversed_at timestamptz not null
);
create index if not exists deposit_reversals_by_customer on deposit_reversals (customer_id);

-- A deposit that is taken back may leave less than nothing: then the customer owes the bank.
alter table wallets drop constraint if exists wallets_balance_micro_usdc_check;
alter table wallet_movements drop constraint if exists wallet_movements_balance_after_micro_usdc_check;
alter table wallet_movements drop constraint if exists wallet_movements_kind_check;
alter table wallet_movements add constraint wallet_movements_kind_check
  check (kind in ('opening', 'transfer', 'refund', 'deposit', 'deposit_reversal', 'adjustment', 'wallet_transfer'));
alter table wallet_movements add column if not exists deposit_id uuid references deposits (id);

-- A sender's bank wants a deposit back: the bank passes it on, and moves nothing.
create table if not exists funds_requests (
  seq bigint generated always as identity unique,
  id uuid primary key,
  deposit_id uuid not null references deposits (id),
  customer_id uuid not null references customers (id),
  fraud boolean not null,
  created_at timestamptz not null
);

create or replace function refuse_change() returns trigger
  language plpgsql
as $$
begin
  raise exception '% is only added to', tg_table_name;
end
$$;
create or replace trigger payments_are_only_added before update or delete or truncate on payments
  for each statement execute function refuse_change();
create or replace trigger refunds_are_only_added before update or delete or truncate on refunds
  for each statement execute function refuse_change();
create or replace trigger movements_are_only_added before update or delete or truncate on wallet_movements
  for each statement execute function refuse_change();
create or replace trigger credits_are_only_added before update or delete or truncate on deposit_credits
  for each statement execute function refuse_change();
create or replace trigger reversals_are_only_added before update or delete or truncate on deposit_reversals
  for each statement execute function refuse_change();

-- The answer is null only inside the transaction that is making it.
create table if not exists idempotency_keys (
  key text primary key,
  fingerprint text not null,
  status integer,
  body text,
  created_at timestamptz not null
);

create table if not exists webhook_endpoints (
  seq bigint generated always as identity unique,
  id uuid primary key,
  url text not null,
  status text not null check (status in ('active', 'deleted')),
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null
);

create table if not exists events (
  seq bigint generated always as identity unique,
  id uuid primary key,
  transfer_id uuid references transfers (id),
  body text not null,
  created_at timestamptz not null
);
-- An event is of a transfer, a KYC link or a deposit. A database from before there were any has transfers only.
alter table events alter column transfer_id drop not null;
alter table events add column if not exists kyc_link_id uuid references kyc_links (id);
alter table events add column if not exists deposit_id uuid references deposits (id);

-- Due by the machine's own time: the pauses are about the network, which the bank's clock does not move.
create table if not exists deliveries (
  seq bigint generated always as identity primary key,
  event_id uuid not null references events (id),
  endpoint_id uuid not null references webhook_endpoints (id),
  position double precision not null,
  outcome text not null default 'waiting' check (outcome in ('waiting', 'delivered', 'given_up')),
  tries integer not null default 0,
  due_at timestamptz not null
);
create index if not exists deliveries_to_make on deliveries (endpoint_id, due_at) where outcome = 'waiting';
