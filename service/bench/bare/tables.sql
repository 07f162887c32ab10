-- The bare reference of the bench: its tables. FROZEN: never edit this file.
--
-- `npm run bench` measures the api against PostgreSQL alone. If this text followed the product, a slower product would make
-- its own yardstick slower, and the ratios would hide it. So it is a copy of everything that one payout touched when the
-- reference was set, in a schema of its own: columns, checks, indexes, fill factors, row security and triggers. Nothing here
-- refers to the product's schema. Policies and grants are those that its statements meet. A payout only reads `partners` and
-- `partner_environments`, so their checks are left out.

create schema bare authorization kelpie_owner;
grant usage on schema bare to kelpie_service, kelpie_ledger, kelpie_payouts;
set role kelpie_owner;

create type bare.environment as enum ('sandbox', 'live');
create type bare.rail as enum ('simulated', 'provider_sandbox', 'provider_production');
create type bare.payout_state as enum (
  'sending', 'not_created', 'pending', 'processing', 'completed', 'failed', 'cancelled', 'returned'
);
create type bare.ledger_account as enum (
  'bank_wallet', 'in_transit', 'partner_receivable',
  'wallet', 'held',
  'fx', 'suspense', 'exception_loss',
  'receivable', 'revenue', 'accrued_revenue', 'credit_due', 'accrued'
);

-- Policies and triggers name these, so they come before the tables.
create function bare.current_partner() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('bare.partner_id', true), '')::uuid;

create function bare.current_environment() returns bare.environment
  language sql stable parallel safe
  return nullif(current_setting('bare.environment', true), '')::bare.environment;

create function bare.refuse_change() returns trigger
  language plpgsql
as $$
begin
  raise exception '% is insert-only', tg_table_name using errcode = 'restrict_violation';
end;
$$;

create table bare.partners (
  id uuid primary key,
  slug text not null unique,
  name text not null,
  status text not null,
  created_at timestamptz not null,
  logo_url text,
  brand_color text,
  billing_email text,
  contact_email text,
  verification_status text not null default 'not_started',
  verification_provider_status text,
  verification_continue_url text,
  verification_terms_url text,
  screening text not null default 'not_screened',
  rate_factor integer not null default 1,
  wallet_low_micro_usdc bigint
);
alter table bare.partners enable row level security, force row level security;
create policy service_own on bare.partners to kelpie_service
  using (id = bare.current_partner()) with check (id = bare.current_partner());
create policy payouts_see on bare.partners for select to kelpie_payouts using (true);
grant select, insert on bare.partners to kelpie_service;
grant select (id, status) on bare.partners to kelpie_payouts;

create table bare.partner_environments (
  partner_id uuid not null references bare.partners (id),
  environment bare.environment not null,
  created_at timestamptz not null,
  price_plan text not null default 'standard-1',
  rail bare.rail not null default 'simulated',
  bank_customer_id text,
  bank_wallet_id text,
  wants_bank boolean not null default false,
  primary key (partner_id, environment)
);
create index partner_environments_waiting on bare.partner_environments (partner_id) where wants_bank;
alter table bare.partner_environments enable row level security, force row level security;
create policy service_own on bare.partner_environments to kelpie_service
  using (partner_id = bare.current_partner() and environment = bare.current_environment())
  with check (partner_id = bare.current_partner() and environment = bare.current_environment());
create policy payouts_see on bare.partner_environments for select to kelpie_payouts using (true);
grant select, insert on bare.partner_environments to kelpie_service;
grant select on bare.partner_environments to kelpie_payouts;

create table bare.api_keys (
  id uuid primary key,
  partner_id uuid not null,
  environment bare.environment not null,
  key_prefix text not null check (key_prefix ~ '^kp_(sandbox|live)_[a-f0-9]{8}$'),
  label text check (char_length(label) between 1 and 60),
  secret_hmac bytea not null unique check (octet_length(secret_hmac) = 32),
  created_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  foreign key (partner_id, environment) references bare.partner_environments (partner_id, environment)
);
create index api_keys_of_partner on bare.api_keys (partner_id);
alter table bare.api_keys enable row level security, force row level security;
create policy service_own on bare.api_keys to kelpie_service
  using (partner_id = bare.current_partner()) with check (partner_id = bare.current_partner());
create policy payouts_see on bare.api_keys for select to kelpie_payouts using (true);
grant select, insert on bare.api_keys to kelpie_service;
grant select (id, partner_id, environment, revoked_at) on bare.api_keys to kelpie_payouts;

create table bare.wallets (
  partner_id uuid not null,
  environment bare.environment not null,
  balance_micro_usdc bigint not null default 0 check (balance_micro_usdc >= 0),
  version bigint not null default 0,
  primary key (partner_id, environment),
  foreign key (partner_id, environment) references bare.partner_environments (partner_id, environment)
) with (fillfactor = 10);
alter table bare.wallets enable row level security, force row level security;
create policy service_own on bare.wallets for select to kelpie_service
  using (partner_id = bare.current_partner() and environment = bare.current_environment());
create policy ledger_all on bare.wallets to kelpie_ledger using (true) with check (true);
create policy payouts_see on bare.wallets for select to kelpie_payouts using (true);
grant select, insert on bare.wallets to kelpie_service;
grant select, update on bare.wallets to kelpie_ledger;
grant select (partner_id, environment, balance_micro_usdc) on bare.wallets to kelpie_payouts;

create table bare.rail_pauses (
  rail bare.rail primary key,
  since timestamptz not null,
  reason text not null
);
grant select, insert on bare.rail_pauses to kelpie_service;

create table bare.bank_recipients (
  partner_id uuid not null,
  environment bare.environment not null,
  account_index bytea not null check (octet_length(account_index) = 32),
  bank_recipient_id text not null,
  registered_at timestamptz not null,
  primary key (partner_id, environment, account_index),
  foreign key (partner_id, environment) references bare.partner_environments (partner_id, environment)
);
alter table bare.bank_recipients enable row level security, force row level security;
create policy service_own on bare.bank_recipients to kelpie_service
  using (partner_id = bare.current_partner() and environment = bare.current_environment())
  with check (partner_id = bare.current_partner() and environment = bare.current_environment());
create policy payouts_all on bare.bank_recipients to kelpie_payouts using (true) with check (true);
grant select, insert, update, delete on bare.bank_recipients to kelpie_service;

create table bare.payouts (
  id uuid primary key,
  partner_id uuid not null,
  environment bare.environment not null,
  rail bare.rail not null,
  state bare.payout_state not null,
  revision integer not null check (revision > 0),
  attempts integer not null check (attempts > 0),
  idempotency_key text not null,
  order_id uuid not null,
  bank_round integer not null check (bank_round > 0),
  first_tried_at timestamptz not null,
  reference text,
  bank_reference text not null check (char_length(bank_reference) between 1 and 18),
  amount_pence bigint not null check (amount_pence > 0),
  fee_pence bigint not null check (fee_pence >= 0),
  bank_share_pence bigint not null check (bank_share_pence between 0 and fee_pence),
  wallet_sends_micro_usdc bigint not null check (wallet_sends_micro_usdc > 0),
  gbp_per_usd_millionths bigint not null check (gbp_per_usd_millionths > 0),
  price_plan text not null,
  recipient_name text not null,
  account_last4 text not null check (account_last4 ~ '^[0-9]{4}$'),
  recipient_sealed bytea not null,
  account_index bytea not null check (octet_length(account_index) = 32),
  created_via text not null check (created_via in ('api', 'dashboard')),
  created_by text not null,
  bank_payment_id text,
  bank_state text,
  bank_took_micro_usdc bigint check (bank_took_micro_usdc > 0),
  bank_refunded_micro_usdc bigint check (bank_refunded_micro_usdc > 0),
  failure_code text,
  failure_reason text,
  updated_at timestamptz not null,
  completed_at timestamptz,
  check (state <> 'failed' or failure_reason is not null),
  check (failure_reason is null or state in ('failed', 'returned')),
  check (state not in ('processing', 'completed', 'returned') or bank_payment_id is not null),
  check (state <> 'completed' or (completed_at is not null and bank_took_micro_usdc is not null))
) partition by range (id);
create index payouts_of_partner on bare.payouts (partner_id, environment, id);
alter table bare.payouts enable row level security, force row level security;
create policy service_own on bare.payouts to kelpie_service
  using (partner_id = bare.current_partner() and environment = bare.current_environment())
  with check (partner_id = bare.current_partner() and environment = bare.current_environment());
create policy payouts_all on bare.payouts to kelpie_payouts using (true) with check (true);
grant select, insert on bare.payouts to kelpie_service, kelpie_payouts;

create table bare.payout_history (
  payout_id uuid not null,
  number integer not null check (number > 0),
  partner_id uuid not null,
  environment bare.environment not null,
  at timestamptz not null,
  state bare.payout_state not null,
  what text not null check (what ~ '^[a-z_]+$' and octet_length(what) <= 40),
  by text not null,
  attempt integer not null,
  bank_state text,
  detail text,
  transfer_ids uuid[] not null,
  primary key (payout_id, number)
) partition by range (payout_id);
alter table bare.payout_history enable row level security, force row level security;
create policy service_own on bare.payout_history to kelpie_service
  using (partner_id = bare.current_partner() and environment = bare.current_environment())
  with check (partner_id = bare.current_partner() and environment = bare.current_environment());
create policy payouts_add on bare.payout_history for insert to kelpie_payouts with check (true);
grant select, insert on bare.payout_history to kelpie_service;
create trigger insert_only before update or delete on bare.payout_history
  for each row execute function bare.refuse_change();
create trigger never_emptied before truncate on bare.payout_history
  for each statement execute function bare.refuse_change();

create table bare.idempotency_keys (
  order_id uuid primary key,
  partner_id uuid not null,
  environment bare.environment not null,
  key text not null check (key ~ '^[A-Za-z0-9_:.-]+$' and octet_length(key) between 8 and 100),
  payout_id uuid not null,
  fingerprint bytea not null,
  bank_round integer not null default 1,
  round_began_at timestamptz not null
) with (fillfactor = 90);
alter table bare.idempotency_keys enable row level security, force row level security;
create policy service_own on bare.idempotency_keys to kelpie_service
  using (partner_id = bare.current_partner() and environment = bare.current_environment())
  with check (partner_id = bare.current_partner() and environment = bare.current_environment());
create policy payouts_see on bare.idempotency_keys for select to kelpie_payouts using (true);
create policy payouts_add on bare.idempotency_keys for insert to kelpie_payouts with check (true);
create policy payouts_drop on bare.idempotency_keys for delete to kelpie_payouts using (true);
grant select, insert on bare.idempotency_keys to kelpie_service;
grant update (payout_id, fingerprint, bank_round, round_began_at) on bare.idempotency_keys to kelpie_service;

create table bare.open_payouts (
  payout_id uuid primary key,
  partner_id uuid not null,
  environment bare.environment not null,
  due_at timestamptz not null,
  leased_until timestamptz not null,
  takes integer not null default 0,
  hinted_payment_id text
) with (fillfactor = 50);
create index open_payouts_due on bare.open_payouts (due_at);
alter table bare.open_payouts enable row level security, force row level security;
create policy service_own on bare.open_payouts to kelpie_service
  using (partner_id = bare.current_partner() and environment = bare.current_environment())
  with check (partner_id = bare.current_partner() and environment = bare.current_environment());
create policy payouts_all on bare.open_payouts to kelpie_payouts using (true) with check (true);
grant select, insert, update, delete on bare.open_payouts to kelpie_service;

create table bare.activity (
  id uuid primary key,
  partner_id uuid not null,
  environment bare.environment,
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$' and octet_length(action) <= 60),
  status integer,
  by text not null,
  detail text
) partition by range (id);
create index activity_of_partner on bare.activity (partner_id, id);
alter table bare.activity enable row level security, force row level security;
create policy service_own on bare.activity to kelpie_service
  using (partner_id = bare.current_partner()) with check (partner_id = bare.current_partner());
create policy payouts_add on bare.activity for insert to kelpie_payouts with check (true);
grant select, insert on bare.activity to kelpie_service;
create trigger insert_only before update or delete on bare.activity
  for each row execute function bare.refuse_change();
create trigger never_emptied before truncate on bare.activity
  for each statement execute function bare.refuse_change();

create table bare.ledger_entries (
  transfer_id uuid not null,
  line smallint not null check (line between 1 and 16),
  partner_id uuid not null,
  environment bare.environment not null,
  account bare.ledger_account not null,
  amount bigint not null check (amount <> 0),
  reason text not null check (char_length(reason) between 1 and 60),
  cause_id uuid not null,
  wallet_balance_after bigint check (wallet_balance_after >= 0),
  wallet_version bigint check (wallet_version > 0),
  primary key (transfer_id, line),
  check (
    (account = 'wallet') = (wallet_balance_after is not null)
    and (account = 'wallet') = (wallet_version is not null)
  ),
  constraint ledger_entries_live_pounds check (environment = 'live' or account <= 'exception_loss')
) partition by range (transfer_id);
create index ledger_entries_to_invoice on bare.ledger_entries (partner_id, transfer_id)
  include (environment, account, amount, reason)
  where account = 'receivable' or account >= 'credit_due';
create index ledger_entries_at_bank on bare.ledger_entries (partner_id, environment, cause_id)
  include (transfer_id, amount) where account = 'bank_wallet';
create index ledger_entries_in_suspense on bare.ledger_entries (partner_id, environment)
  include (amount) where account = 'suspense';
create index ledger_entries_of_wallet on bare.ledger_entries (partner_id, environment, wallet_version)
  where account = 'wallet';
alter table bare.ledger_entries enable row level security, force row level security;
create policy service_own on bare.ledger_entries for select to kelpie_service
  using (partner_id = bare.current_partner() and environment = bare.current_environment());
create policy ledger_add on bare.ledger_entries for insert to kelpie_ledger with check (true);
create policy ledger_see on bare.ledger_entries for select to kelpie_ledger using (true);
create policy payouts_own on bare.ledger_entries for select to kelpie_payouts
  using (partner_id = bare.current_partner() and environment = bare.current_environment());
grant select on bare.ledger_entries to kelpie_service, kelpie_payouts;
grant select, insert on bare.ledger_entries to kelpie_ledger;
create trigger insert_only before update or delete on bare.ledger_entries
  for each row execute function bare.refuse_change();
create trigger never_emptied before truncate on bare.ledger_entries
  for each statement execute function bare.refuse_change();

-- The functions name these tables in branches that a bare payout never takes.
create table bare.sessions (id uuid primary key, partner_id uuid, email text, revoked_at timestamptz);
create table bare.members (partner_id uuid, email text, role text, primary key (partner_id, email));
create table bare.cases (id uuid primary key, payout_id uuid, kind text, closed_at timestamptz);
create table bare.closed_books (partner_id uuid primary key, closed_until timestamptz not null);

-- The month of the run and the three after it, as the product has them.
create function bare.first_id_at(instant timestamptz) returns uuid
  language sql immutable strict parallel safe
  return (lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

do $$
declare
  parent text;
  month timestamp;
  partition_name text;
begin
  foreach parent in array array['payouts', 'payout_history', 'activity', 'ledger_entries'] loop
    for month in
      select date_trunc('month', now() at time zone 'utc') + make_interval(months => ahead) from generate_series(0, 3) ahead
    loop
      partition_name := parent || to_char(month, '_YYYY_MM');
      execute format('create table bare.%I (like bare.%I including all)', partition_name, parent);
      execute format('alter table bare.%I enable row level security, force row level security', partition_name);
      execute format('alter table bare.%I alter column partner_id set (n_distinct = 1000)', partition_name);
      if parent = 'payouts' then
        execute format('alter table bare.%I set (fillfactor = 85)', partition_name);
      else
        execute format(
          'create trigger never_emptied before truncate on bare.%I for each statement execute function bare.refuse_change()',
          partition_name
        );
      end if;
      execute format(
        'alter table bare.%I attach partition bare.%I for values from (%L) to (%L)',
        parent,
        partition_name,
        bare.first_id_at(month at time zone 'utc'),
        bare.first_id_at((month + interval '1 month') at time zone 'utc')
      );
    end loop;
  end loop;
end;
$$;

reset role;
