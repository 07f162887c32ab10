-- Payouts, from the order to the final state. Every write is one call of one function, so that a payout, its ledger
-- entries, its history and its lease are one commit in one round trip.

create table kelpie.payouts (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  rail kelpie.rail not null,
  state kelpie.payout_state not null,
  -- Counts changes, which are the rows of payout_history. A change names the revision it builds on.
  revision integer not null check (revision > 0), -- squawk-ignore prefer-bigint-over-int
  -- How often the bank was asked to pay it, or may have been.
  attempts integer not null check (attempts > 0), -- squawk-ignore prefer-bigint-over-int
  idempotency_key text not null,
  -- Our reference at the bank, derived from partner, environment and idempotency key: the same for every attempt.
  order_id uuid not null,
  -- The bank forgets its idempotency key after a day. A payout that was certainly not sent is then tried in the next round.
  bank_round integer not null check (bank_round > 0), -- squawk-ignore prefer-bigint-over-int
  first_tried_at timestamptz not null,
  reference text,
  bank_reference text not null check (char_length(bank_reference) between 1 and 18),
  amount_pence bigint not null check (amount_pence > 0),
  fee_pence bigint not null check (fee_pence >= 0),
  provider_fee_pence bigint not null check (provider_fee_pence between 0 and fee_pence),
  wallet_debit_micro_usdc bigint not null check (wallet_debit_micro_usdc > 0),
  gbp_per_usd_millionths bigint not null check (gbp_per_usd_millionths > 0),
  price_plan text not null,
  recipient_name text not null,
  account_last4 text not null check (account_last4 ~ '^[0-9]{4}$'),
  -- What the bank needs to know of the recipient, encrypted; and a keyed digest that finds the same account again.
  recipient_encrypted bytea not null,
  account_index bytea not null check (octet_length(account_index) = 32),
  created_via text not null check (created_via in ('api', 'dashboard')),
  created_by text not null,
  bank_payment_id text,
  bank_state text,
  bank_debited_micro_usdc bigint check (bank_debited_micro_usdc > 0),
  bank_refunded_micro_usdc bigint check (bank_refunded_micro_usdc > 0),
  failure_code text,
  failure_reason text,
  updated_at timestamptz not null,
  completed_at timestamptz,
  constraint payouts_rail_check check ((environment = 'live') = (rail = 'provider_production')),
  check (state <> 'failed' or failure_reason is not null),
  check (failure_reason is null or state in ('failed', 'returned')),
  check (state not in ('processing', 'completed', 'returned') or bank_payment_id is not null),
  check (state <> 'completed' or (completed_at is not null and bank_debited_micro_usdc is not null))
) partition by range (id);
comment on table kelpie.payouts is '@grows @changes @by-function One row per payout; create_payouts and apply_transitions write it.';
-- No index on a column that changes: an update then touches none.
create index payouts_of_partner on kelpie.payouts (partner_id, environment, id);
select kelpie.protect_partner_table('payouts');
create trigger legal_transitions before insert or update on kelpie.payouts
  for each row execute function kelpie.refuse_illegal_transition();
create policy payouts_all on kelpie.payouts to kelpie_payouts using (true) with check (true);
-- What was ordered never changes; what became of it does.
grant select, insert, update (
  state, revision, attempts, bank_payment_id, bank_state, bank_debited_micro_usdc, bank_refunded_micro_usdc, failure_code,
  failure_reason, updated_at, completed_at
) on kelpie.payouts to kelpie_service, kelpie_payouts;
grant select on kelpie.payouts to kelpie_reader;

-- What a partner may see of them.
create view kelpie.visible_payouts with (security_invoker = true) as
  select * from kelpie.payouts where kelpie.is_visible(state);
grant select on kelpie.visible_payouts to kelpie_service, kelpie_reader, kelpie_payouts;

-- Every change of a payout: what happened, by whom, and the transfers that were posted with it.
create table kelpie.payout_history (
  payout_id uuid not null,
  number integer not null check (number > 0), -- squawk-ignore prefer-bigint-over-int
  partner_id uuid not null,
  environment kelpie.environment not null,
  at timestamptz not null,
  state kelpie.payout_state not null,
  -- The length is a check of its own: counted by the pattern it costs ten times as much.
  what text not null check (what ~ '^[a-z_]+$' and octet_length(what) <= 40),
  by text not null,
  attempt integer not null, -- squawk-ignore prefer-bigint-over-int
  bank_state text,
  detail text,
  transfer_ids uuid[] not null,
  primary key (payout_id, number)
) partition by range (payout_id);
comment on table kelpie.payout_history is '@grows @by-function A few rows per payout.';
select kelpie.protect_partner_table('payout_history');
select kelpie.make_insert_only('payout_history');
create policy payouts_add on kelpie.payout_history for insert to kelpie_payouts with check (true);
grant select, insert on kelpie.payout_history to kelpie_service;
grant select on kelpie.payout_history to kelpie_reader;
grant insert on kelpie.payout_history to kelpie_payouts;

-- Which payout a key stands for. Unique for ever, so it can't be split by month. The order id is a digest of partner,
-- environment and key: one index serves the caller who repeats a key and the bank that names an order.
create table kelpie.idempotency_keys (
  order_id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  key text not null check (key ~ '^[A-Za-z0-9_:.-]+$' and octet_length(key) between 8 and 100),
  payout_id uuid not null,
  -- A keyed digest of the body: it shows whether another body is the same, and nothing of what it holds. Empty where the
  -- key is free again for any body. The row stays, because the bank may remember an order under it.
  fingerprint bytea not null,
  bank_round integer not null default 1, -- squawk-ignore prefer-bigint-over-int
  round_began_at timestamptz not null
) with (fillfactor = 90);
comment on table kelpie.idempotency_keys is '@grows @kept-whole @by-function One row per payout; create_payouts writes it.';
select kelpie.protect_partner_table('idempotency_keys');
create trigger keys_stay before update or delete on kelpie.idempotency_keys
  for each row execute function kelpie.refuse_loss_of_key();
create policy payouts_see on kelpie.idempotency_keys for select to kelpie_payouts using (true);
create policy payouts_add on kelpie.idempotency_keys for insert to kelpie_payouts with check (true);
create policy payouts_change on kelpie.idempotency_keys for update to kelpie_payouts using (true) with check (true);
create policy payouts_drop on kelpie.idempotency_keys for delete to kelpie_payouts using (true);
grant select, insert, update (payout_id, fingerprint, bank_round, round_began_at) on kelpie.idempotency_keys to kelpie_service;
grant select on kelpie.idempotency_keys to kelpie_reader;
grant select, insert, delete, update (payout_id, fingerprint, bank_round, round_began_at)
  on kelpie.idempotency_keys to kelpie_payouts;

-- Payouts that are not final, and those that the bank has news of. A worker that claims one has it until `leased_until`;
-- one that was not released by then is due again.
create table kelpie.payout_leases (
  payout_id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  due_at timestamptz not null,
  leased_until timestamptz not null,
  -- How often it was claimed and not released. Each time it is left alone for longer.
  claims integer not null default 0, -- squawk-ignore prefer-bigint-over-int
  -- The bank's id of a payment, from a webhook that arrived before the bank's answer.
  webhook_payment_id text
) with (fillfactor = 50);
comment on table kelpie.payout_leases is '@bounded @by-function One row for each payout that is not final.';
create index payout_leases_due on kelpie.payout_leases (due_at);
select kelpie.protect_partner_table('payout_leases');
create policy payouts_all on kelpie.payout_leases to kelpie_payouts using (true) with check (true);
grant select, insert, update, delete on kelpie.payout_leases to kelpie_service, kelpie_payouts;
grant select on kelpie.payout_leases to kelpie_reader;

-- Recipients that the bank knows already. The index is made of account, type and name: another name is another recipient.
create table kelpie.bank_recipients (
  partner_id uuid not null,
  environment kelpie.environment not null,
  account_index bytea not null check (octet_length(account_index) = 32),
  bank_recipient_id text not null,
  registered_at timestamptz not null,
  primary key (partner_id, environment, account_index),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.bank_recipients is '@grows @kept-whole One row for each account that a partner has paid.';
select kelpie.protect_partner_table('bank_recipients');
create policy payouts_all on kelpie.bank_recipients to kelpie_payouts using (true) with check (true);
grant select, insert, update, delete on kelpie.bank_recipients to kelpie_service, kelpie_payouts;
grant select on kelpie.bank_recipients to kelpie_reader;

-- Webhooks about payments that we do not know, retried for a while.
create table kelpie.unmatched_bank_events (
  environment kelpie.environment not null,
  event_id text not null,
  payment_id text not null,
  order_id uuid,
  received_at timestamptz not null,
  due_at timestamptz not null,
  tries integer not null default 0, -- squawk-ignore prefer-bigint-over-int
  primary key (environment, event_id)
);
comment on table kelpie.unmatched_bank_events is '@bounded @shared Webhooks without a payout, for as long as they are retried.';
create index unmatched_bank_events_due on kelpie.unmatched_bank_events (due_at);
grant select, insert, update, delete on kelpie.unmatched_bank_events to kelpie_service;
grant select on kelpie.unmatched_bank_events to kelpie_reader;
