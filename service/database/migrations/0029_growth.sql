-- What a payout says when it looks like one that was created before, and what is forgotten after a while.

alter table kelpie.payouts
  -- Whether another payout to the same account and of the same amount was created in the 24 hours before, under another key.
  add column duplicate_suspected boolean not null default false,
  -- A hash of partner, environment, account and amount, by which equal payouts are found. Null where none was asked for.
  add column equal_hash bigint;

-- With the columns that were added since.
create or replace view kelpie.visible_payouts with (security_invoker = true) as
  select * from kelpie.payouts where kelpie.is_visible(state);

-- A payout as the API returns it. The previous version reads kelpie.shown_payout.
create type kelpie.payout_resource as (
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
  created_via text,
  idempotency_key text,
  duplicate_suspected boolean
);

-- Two signatures back, and no longer called.
set local role kelpie_payouts;
drop function if exists kelpie.create_payouts(
  uuid[], kelpie.environment[], uuid[], uuid[], uuid[], text[], bytea[], timestamptz[], integer[], timestamptz[],
  kelpie.rail[], kelpie.payout_state[], text[], text[], bigint[], bigint[], bigint[], bigint[], bigint[], text[],
  text[], text[], bytea[], bytea[], bytea[], text[], text[], text[], text[], bigint[], text[], text[], timestamptz[],
  timestamptz[], uuid[], integer[], text[], integer[], uuid[], integer[], integer[], bytea[], bytea[], bytea[],
  integer[], boolean[], uuid[], smallint[], kelpie.ledger_account[], bigint[], text[]
);
reset role;

-- Months that are past their table's retention are dropped: kelpie.expired_month_partitions reads it here. What explains
-- money says nothing of the kind, and is kept.
comment on table kelpie.activity is
  '@grows @by-function @both-environments @forgets-after-25-months One row per money action.';
comment on table kelpie.activity_pages is
  '@grows @by-function @both-environments @forgets-after-13-months One row for what a partner requested within a moment.';
comment on table kelpie.security_events is
  '@grows @both-environments @forgets-after-25-months One row per change of access, sign-in and refused sign-in.';
