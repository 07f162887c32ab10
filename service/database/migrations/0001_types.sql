-- Types, and who may enter the schema. Functions that policies, checks and triggers need are applied right after this file.

grant usage on schema kelpie to
  kelpie_service, kelpie_reader, kelpie_operator, kelpie_ledger, kelpie_access, kelpie_payouts;
grant select on kelpie.migrations, kelpie.functions to kelpie_service, kelpie_reader;

create type kelpie.environment as enum ('sandbox', 'live');

create type kelpie.rail as enum ('simulated', 'provider_sandbox', 'provider_production');

-- docs/ledger.md says what each account is for; kelpie.currency_of says its currency.
create type kelpie.ledger_account as enum (
  'bank_wallet', 'in_transit', 'partner_receivable',
  'wallet', 'held',
  'fx', 'suspense', 'exception_loss',
  'receivable', 'revenue', 'accrued_revenue', 'credit_due', 'accrued'
);

-- 'sending' and 'not_created' are internal: no read of the API shows them.
create type kelpie.payout_state as enum (
  'sending', 'not_created', 'pending', 'processing', 'completed', 'failed', 'cancelled', 'returned'
);

-- What a partner sees of a payout. Reads carry no more than that, and encrypted columns stay in the table.
create type kelpie.shown_payout as (
  id uuid,
  state kelpie.payout_state,
  reference text,
  bank_reference text,
  amount_pence bigint,
  fee_pence bigint,
  wallet_debit_micro_usdc bigint,
  recipient_name text,
  account_last4 text,
  failure_code text,
  failure_reason text,
  updated_at timestamptz,
  created_via text
);
