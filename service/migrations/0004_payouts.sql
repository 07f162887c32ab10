-- Payouts: from the order to its final state. Every write is one call of one function, so that a payout, its ledger
-- entries, its history and what must be finished after a crash are one commit, in one round trip.

-- What a payout costs. A plan never changes; a partner gets another one.
create table kelpie.price_plans (
  id text primary key check (id ~ '^[a-z0-9-]{1,40}$'),
  fixed_pence bigint not null check (fixed_pence >= 0),
  basis_points bigint not null check (basis_points between 0 and 10000),
  bank_fixed_pence bigint not null check (bank_fixed_pence between 0 and fixed_pence),
  bank_basis_points bigint not null check (bank_basis_points between 0 and basis_points),
  created_at timestamptz not null
);
comment on table kelpie.price_plans is '@bounded @shared A few rows: the prices that we have ever had.';
grant select on kelpie.price_plans to kelpie_service, kelpie_reader;
insert into kelpie.price_plans (id, fixed_pence, basis_points, bank_fixed_pence, bank_basis_points, created_at)
values ('standard-1', 99, 100, 50, 50, '2026-11-15');

create type kelpie.rail as enum ('simulated', 'provider_sandbox', 'provider_production');

alter table kelpie.partner_environments
  add column price_plan text not null default 'standard-1',
  add column rail kelpie.rail not null default 'simulated',
  -- The partner at the bank, and its wallet there.
  add column bank_customer_id text,
  add column bank_wallet_id text;
alter table kelpie.partner_environments
  add constraint partner_environments_price_plan_fkey foreign key (price_plan) references kelpie.price_plans (id) not valid,
  add constraint partner_environments_rail_check check (
    case rail
      when 'simulated' then environment = 'sandbox'
      when 'provider_sandbox' then environment = 'sandbox' and bank_customer_id is not null and bank_wallet_id is not null
      else environment = 'live' and bank_customer_id is not null and bank_wallet_id is not null
    end
  ) not valid;

-- A rail on which no payout may be made for now, and why. A person lifts it.
create table kelpie.rail_pauses (
  rail kelpie.rail primary key,
  since timestamptz not null,
  reason text not null
);
comment on table kelpie.rail_pauses is '@bounded @shared At most one row a rail.';
grant select, insert on kelpie.rail_pauses to kelpie_service;
grant select on kelpie.rail_pauses to kelpie_reader;

-- 'sending' and 'not_created' are ours alone: no read of the API shows them.
create type kelpie.payout_state as enum (
  'sending', 'not_created', 'pending', 'processing', 'completed', 'failed', 'cancelled', 'returned'
);

create table kelpie.payouts (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  rail kelpie.rail not null,
  state kelpie.payout_state not null,
  -- Counts its changes, which are the rows of its history. A change names the number that it builds on.
  revision integer not null check (revision > 0), -- squawk-ignore prefer-bigint-over-int
  -- How often the bank was asked to pay it, or may have been.
  attempts integer not null check (attempts > 0), -- squawk-ignore prefer-bigint-over-int
  idempotency_key text not null,
  -- What we call it at the bank: made of partner, environment and idempotency key, so the same for every try.
  order_id uuid not null,
  -- The bank forgets a key after a day. A payout that was certainly never sent may then be tried anew, in the next round.
  bank_round integer not null check (bank_round > 0), -- squawk-ignore prefer-bigint-over-int
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
  -- All that the bank has to know of the recipient, encrypted; and a keyed digest by which the same account is found again.
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
comment on table kelpie.payouts is '@grows @by-function One row a payout; create_payout and move_payout write it.';
-- No index on what changes: an update then touches none.
create index payouts_of_partner on kelpie.payouts (partner_id, environment, id);
alter table kelpie.payouts enable row level security, force row level security;
create policy service_own on kelpie.payouts to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.payouts for select to kelpie_reader using (true);
grant select, insert on kelpie.payouts to kelpie_service;
-- What was ordered never changes; what became of it does.
grant update (
  state, revision, attempts, bank_payment_id, bank_state, bank_took_micro_usdc, bank_refunded_micro_usdc, failure_code,
  failure_reason, updated_at, completed_at
) on kelpie.payouts to kelpie_service;
grant select on kelpie.payouts to kelpie_reader;

-- The moves that a payout can make, whatever the code believes.
create function kelpie.refuse_illegal_move() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    if new.state in ('sending', 'processing', 'failed') and new.revision = 1 then
      return new;
    end if;
    raise exception 'a payout does not begin as %', new.state using errcode = 'check_violation';
  end if;
  if new.revision <> old.revision + 1 then
    raise exception 'a change of a payout without its number' using errcode = 'check_violation';
  end if;
  if new.state = old.state or (old.state, new.state) in (
    ('sending', 'not_created'), ('sending', 'pending'), ('sending', 'processing'), ('sending', 'failed'),
    ('pending', 'processing'), ('pending', 'failed'), ('pending', 'cancelled'),
    ('processing', 'completed'), ('processing', 'failed'), ('processing', 'cancelled'), ('processing', 'returned'),
    ('completed', 'returned')
  ) then
    return new;
  end if;
  raise exception 'a payout does not move from % to %', old.state, new.state using errcode = 'check_violation';
end;
$$;
create trigger legal_moves before insert or update on kelpie.payouts
  for each row execute function kelpie.refuse_illegal_move();

-- Every change of a payout: what happened, by whom, and the transfer in the ledger that went with it.
create table kelpie.payout_history (
  payout_id uuid not null,
  number integer not null check (number > 0), -- squawk-ignore prefer-bigint-over-int
  partner_id uuid not null,
  environment kelpie.environment not null,
  at timestamptz not null,
  state kelpie.payout_state not null,
  -- A length is not counted by the pattern: that costs ten times as much.
  what text not null check (what ~ '^[a-z_]+$' and octet_length(what) <= 40),
  by text not null,
  attempt integer not null, -- squawk-ignore prefer-bigint-over-int
  bank_state text,
  detail text,
  transfer_ids uuid[] not null,
  primary key (payout_id, number)
) partition by range (payout_id);
comment on table kelpie.payout_history is '@grows @by-function A few rows a payout.';
alter table kelpie.payout_history enable row level security, force row level security;
create policy service_own on kelpie.payout_history to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.payout_history for select to kelpie_reader using (true);
grant select, insert on kelpie.payout_history to kelpie_service;
grant select on kelpie.payout_history to kelpie_reader;
create trigger insert_only before update or delete on kelpie.payout_history
  for each row execute function kelpie.refuse_change();
create trigger never_emptied before truncate on kelpie.payout_history
  for each statement execute function kelpie.refuse_change();

-- Which payout a key stands for. Unique for ever, so it can't be split by month. The order id is a digest of partner,
-- environment and key: one index then serves the caller who repeats a key and the bank that names an order.
create table kelpie.idempotency_keys (
  order_id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  key text not null check (key ~ '^[A-Za-z0-9_:.-]+$' and octet_length(key) between 8 and 100),
  payout_id uuid not null,
  -- A keyed digest of the body: it tells whether another is the same, and nothing of what it holds. Empty where the key is
  -- free again, for any body. Its row stays: the bank may remember an order under it.
  fingerprint bytea not null,
  bank_round integer not null default 1, -- squawk-ignore prefer-bigint-over-int
  round_began_at timestamptz not null
) with (fillfactor = 90);
comment on table kelpie.idempotency_keys is '@grows @kept-whole @by-function One row a payout; create_payout writes it.';
alter table kelpie.idempotency_keys enable row level security, force row level security;
create policy service_own on kelpie.idempotency_keys to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.idempotency_keys for select to kelpie_reader using (true);
create policy payouts_see on kelpie.idempotency_keys for select to kelpie_payouts using (true);
grant select, insert on kelpie.idempotency_keys to kelpie_service;
grant update (payout_id, fingerprint, bank_round, round_began_at) on kelpie.idempotency_keys to kelpie_service;
grant select on kelpie.idempotency_keys to kelpie_reader, kelpie_payouts;

-- A key that was lost, or stood for another payout, would let the same order be paid twice.
create function kelpie.refuse_loss_of_key() returns trigger
  language plpgsql
as $$
begin
  if not exists (select from kelpie.payouts p where p.id = old.payout_id and p.state = 'not_created') then
    raise exception 'a key stands for its payout for ever' using errcode = 'check_violation';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end;
$$;
create trigger keys_stay before update or delete on kelpie.idempotency_keys
  for each row execute function kelpie.refuse_loss_of_key();

-- What must still be looked after: payouts that are not at their end, and those that the bank has news of. Whoever takes
-- one has it until `leased_until`; one that was not given back by then is due again.
create table kelpie.open_payouts (
  payout_id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  due_at timestamptz not null,
  leased_until timestamptz not null,
  -- How often it was taken and not given back. Each time it is left alone for longer.
  takes integer not null default 0, -- squawk-ignore prefer-bigint-over-int
  -- The bank's id of a payment, from a webhook that came before we knew it.
  hinted_payment_id text
) with (fillfactor = 50);
comment on table kelpie.open_payouts is '@bounded @by-function One row for each payout that is not at its end.';
create index open_payouts_due on kelpie.open_payouts (due_at);
alter table kelpie.open_payouts enable row level security, force row level security;
create policy service_own on kelpie.open_payouts to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.open_payouts for select to kelpie_reader using (true);
create policy payouts_all on kelpie.open_payouts to kelpie_payouts using (true) with check (true);
grant select, insert, update, delete on kelpie.open_payouts to kelpie_service;
grant select on kelpie.open_payouts to kelpie_reader;
grant select, insert, update on kelpie.open_payouts to kelpie_payouts;

-- The recipients that the bank knows already. The index is made of account, type and name: another name is another one.
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
alter table kelpie.bank_recipients enable row level security, force row level security;
create policy service_own on kelpie.bank_recipients to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.bank_recipients for select to kelpie_reader using (true);
grant select, insert, update, delete on kelpie.bank_recipients to kelpie_service;
grant select on kelpie.bank_recipients to kelpie_reader;

-- What a person has to look at. One of a kind is open for a payout at a time.
create table kelpie.cases (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  payout_id uuid not null,
  kind text not null check (kind ~ '^[a-z_]{1,40}$'),
  detail text not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  closed_by text,
  check ((closed_at is null) = (closed_by is null)),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.cases is '@bounded One row for each trouble that a person has to look at.';
create unique index cases_open on kelpie.cases (payout_id, kind) where closed_at is null;
alter table kelpie.cases enable row level security, force row level security;
create policy service_own on kelpie.cases to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.cases for select to kelpie_reader using (true);
grant select, insert on kelpie.cases to kelpie_service;
grant select on kelpie.cases to kelpie_reader;

-- What was asked of us, by whom, and what we answered. That of a money action is in the commit that fixes its answer.
create table kelpie.activity (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment,
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$' and octet_length(action) <= 60),
  -- Null where nobody was there to be answered any more.
  status integer, -- squawk-ignore prefer-bigint-over-int
  by text not null,
  detail text
) partition by range (id);
comment on table kelpie.activity is '@grows @by-function @both-environments One row a request.';
create index activity_of_partner on kelpie.activity (partner_id, id);
alter table kelpie.activity enable row level security, force row level security;
create policy service_own on kelpie.activity to kelpie_service
  using (partner_id = kelpie.current_partner()) with check (partner_id = kelpie.current_partner());
create policy reader_all on kelpie.activity for select to kelpie_reader using (true);
grant select, insert on kelpie.activity to kelpie_service;
grant select on kelpie.activity to kelpie_reader;
create trigger insert_only before update or delete on kelpie.activity
  for each row execute function kelpie.refuse_change();
create trigger never_emptied before truncate on kelpie.activity
  for each statement execute function kelpie.refuse_change();

-- What the bank told us of a payment that we do not know. It is tried again for a while.
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
comment on table kelpie.unmatched_bank_events is '@bounded @shared Webhooks of no payout of ours, for as long as they are tried again.';
create index unmatched_bank_events_due on kelpie.unmatched_bank_events (due_at);
grant select, insert, update, delete on kelpie.unmatched_bank_events to kelpie_service;
grant select on kelpie.unmatched_bank_events to kelpie_reader;

-- Says whose rows the transaction is about, from within a function that is the whole of it.
create function kelpie.enter(partner uuid, of_environment kelpie.environment) returns void
  language sql volatile
begin atomic
  select set_config('kelpie.partner_id', partner::text, true), set_config('kelpie.environment', of_environment::text, true);
end;

-- A partner in one of its environments, with its prices.
create function kelpie.find_partner_side(of_partner uuid, of_environment kelpie.environment)
  returns table (
    status text, rail kelpie.rail, bank_customer_id text, bank_wallet_id text, price_plan text, fixed_pence bigint,
    basis_points bigint, bank_fixed_pence bigint, bank_basis_points bigint
  )
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select p.status, e.rail, e.bank_customer_id, e.bank_wallet_id, e.price_plan, pp.fixed_pence, pp.basis_points,
      pp.bank_fixed_pence, pp.bank_basis_points
    from kelpie.partners p
    join kelpie.partner_environments e on e.partner_id = p.id
    join kelpie.price_plans pp on pp.id = e.price_plan
    where p.id = of_partner and e.environment = of_environment;
end;
$$;

-- The first commit of a payout: the key of the caller is checked, the idempotency key claimed, the payout and its hold
-- made, and what a crash would leave behind put where a worker finds it. Where the rail's answer is known at once, this
-- commit is the last one too. What it refuses, it refuses by an error that undoes the claim: KP402 for want of funds (the
-- detail says what there is), KP403 for a partner that is not active, KP409 where a person has to look first, KP502 for a
-- rail that is paused.
create function kelpie.create_payout(
  of_partner uuid,
  of_environment kelpie.environment,
  api_key_id uuid,
  new_payout_id uuid,
  new_order_id uuid,
  new_key text,
  new_fingerprint bytea,
  at timestamptz,
  on_rail kelpie.rail,
  first_state kelpie.payout_state,
  new_reference text,
  new_bank_reference text,
  new_amount_pence bigint,
  new_fee_pence bigint,
  new_bank_share_pence bigint,
  new_wallet_sends_micro_usdc bigint,
  new_gbp_per_usd_millionths bigint,
  new_price_plan text,
  new_recipient_name text,
  new_account_last4 text,
  new_recipient_sealed bytea,
  new_account_index bytea,
  new_created_via text,
  new_created_by text,
  new_bank_payment_id text,
  new_bank_state text,
  new_bank_took_micro_usdc bigint,
  new_failure_code text,
  new_failure_reason text,
  new_leased_until timestamptz,
  new_due_at timestamptz,
  transfer_ids uuid[],
  lines smallint[],
  accounts kelpie.ledger_account[],
  amounts bigint[],
  reasons text[],
  activity_id uuid,
  activity_status integer
) returns table (
  outcome text, payout_id uuid, fingerprint bytea, bank_recipient_id text, bank_round integer, first_tried_at timestamptz
)
  language plpgsql volatile
as $$
#variable_conflict use_column
declare
  partner_status text;
  claim record;
  existing kelpie.payout_state;
  is_next_round boolean;
  refused record;
  size integer := cardinality(transfer_ids);
begin
  perform kelpie.enter(of_partner, of_environment);
  select p.status into partner_status
  from kelpie.api_keys k join kelpie.partners p on p.id = k.partner_id
  where k.id = api_key_id and k.environment = of_environment and k.revoked_at is null;
  if not found then
    outcome := 'unauthorized';
    return next;
    return;
  end if;

  -- Whoever comes second with the same key waits here until the first has committed.
  insert into kelpie.idempotency_keys as k (order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at)
  values (new_order_id, of_partner, of_environment, new_key, new_payout_id, new_fingerprint, at)
  on conflict (order_id) do nothing
  returning k.bank_round, k.round_began_at into claim;
  if not found then
    select k.payout_id, k.fingerprint, k.bank_round, k.round_began_at into strict claim
    from kelpie.idempotency_keys k where k.order_id = new_order_id for no key update;
    select p.state into strict existing from kelpie.payouts p where p.id = claim.payout_id;
    if existing <> 'not_created' or claim.fingerprint not in (new_fingerprint, '') then
      outcome := 'exists';
      payout_id := claim.payout_id;
      fingerprint := claim.fingerprint;
      return next;
      return;
    end if;
    -- Nothing was sent that time, so the same order may be tried again. The bank keeps a key for a day, and for one body:
    -- past that, or for another body, it has to be another one.
    is_next_round := claim.fingerprint = '' or claim.round_began_at < at - interval '23 hours';
    -- Under the old key the bank would only repeat itself. Under another it would pay again what a person believes paid.
    if is_next_round and exists (
      select from kelpie.cases c
      where c.payout_id = claim.payout_id and c.kind = 'paid_though_not_created' and c.closed_at is null
    ) then
      raise exception 'a person is looking at an earlier payment' using errcode = 'KP409';
    end if;
    update kelpie.idempotency_keys k
    set payout_id = new_payout_id,
      fingerprint = new_fingerprint,
      bank_round = k.bank_round + is_next_round::int,
      round_began_at = case when is_next_round then at else k.round_began_at end
    where k.order_id = new_order_id
    returning k.bank_round, k.round_began_at into claim;
  end if;

  if partner_status <> 'active' and not (partner_status = 'onboarding' and of_environment = 'sandbox') then
    raise exception 'the partner is not active' using errcode = 'KP403';
  end if;
  if exists (select from kelpie.rail_pauses r where r.rail = on_rail) then
    raise exception 'the rail is paused' using errcode = 'KP502';
  end if;

  insert into kelpie.payouts (
    id, partner_id, environment, rail, state, revision, attempts, idempotency_key, order_id, bank_round, first_tried_at,
    reference, bank_reference, amount_pence, fee_pence, bank_share_pence, wallet_sends_micro_usdc, gbp_per_usd_millionths,
    price_plan, recipient_name, account_last4, recipient_sealed, account_index, created_via, created_by, bank_payment_id,
    bank_state, bank_took_micro_usdc, failure_code, failure_reason, updated_at
  ) values (
    new_payout_id, of_partner, of_environment, on_rail, first_state, 1, 1, new_key, new_order_id, claim.bank_round,
    claim.round_began_at, new_reference, new_bank_reference, new_amount_pence, new_fee_pence, new_bank_share_pence,
    new_wallet_sends_micro_usdc, new_gbp_per_usd_millionths, new_price_plan, new_recipient_name, new_account_last4,
    new_recipient_sealed, new_account_index, new_created_via, new_created_by, new_bank_payment_id, new_bank_state,
    new_bank_took_micro_usdc, new_failure_code, new_failure_reason, at
  );
  insert into kelpie.payout_history (
    payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, detail, transfer_ids
  ) values (
    new_payout_id, 1, of_partner, of_environment, at, first_state, 'created', new_created_by, 1, new_bank_state,
    new_failure_code, array(select distinct unnest(transfer_ids) order by 1)
  );
  if new_due_at is not null then
    insert into kelpie.open_payouts (payout_id, partner_id, environment, due_at, leased_until)
    values (new_payout_id, of_partner, of_environment, new_due_at, new_leased_until);
  end if;
  if activity_id is not null then
    insert into kelpie.activity (id, partner_id, environment, action, status, by, detail)
    values (activity_id, of_partner, of_environment, 'payout.create', activity_status, new_created_by, new_payout_id::text);
  end if;

  -- Last, since it locks the wallet: payouts that share one then wait for each other as briefly as can be.
  select t.wallet_balance into refused
  from kelpie.post_transfers(
    transfer_ids, lines, array_fill(of_partner, array[size]), array_fill(of_environment, array[size]), accounts, amounts,
    reasons, array_fill(new_payout_id, array[size])
  ) t
  where not t.posted limit 1;
  if found then
    raise exception 'the wallet does not cover it' using errcode = 'KP402', detail = refused.wallet_balance::text;
  end if;

  outcome := 'created';
  payout_id := new_payout_id;
  bank_round := claim.bank_round;
  first_tried_at := claim.round_began_at;
  bank_recipient_id := (
    select r.bank_recipient_id from kelpie.bank_recipients r
    where r.partner_id = of_partner and r.environment = of_environment and r.account_index = new_account_index
  );
  return next;
end;
$$;

-- Ends the lease of an open payout: it is due again at next_due_at, or never where that is null. News that came while it
-- was in hand moved its time before the lease's end: then it stays due at once.
create function kelpie.give_back_open_payout(
  of_partner uuid, of_environment kelpie.environment, of_payout uuid, next_due_at timestamptz
) returns void
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  if next_due_at is null then
    delete from kelpie.open_payouts o where o.payout_id = of_payout and o.due_at >= o.leased_until;
    update kelpie.open_payouts o set leased_until = '-infinity', takes = 0 where o.payout_id = of_payout;
  else
    insert into kelpie.open_payouts as o (payout_id, partner_id, environment, due_at, leased_until)
    values (of_payout, of_partner, of_environment, next_due_at, '-infinity')
    on conflict (payout_id) do update
    set due_at = case when o.due_at < o.leased_until then o.due_at else next_due_at end, leased_until = '-infinity', takes = 0;
  end if;
end;
$$;

-- Every later commit of a payout: one or more steps, each with its state, its history row and its transfer. It says false,
-- and does nothing, where the payout has changed since the caller read it.
create function kelpie.move_payout(
  of_partner uuid,
  of_environment kelpie.environment,
  of_payout uuid,
  from_revision integer,
  at timestamptz,
  by_whom text,
  -- The steps, in order.
  states kelpie.payout_state[],
  whats text[],
  details text[],
  step_transfers uuid[],
  -- What is known of it now. Null leaves what was known before.
  now_attempts integer,
  now_bank_payment_id text,
  now_bank_state text,
  now_bank_took_micro_usdc bigint,
  now_bank_refunded_micro_usdc bigint,
  now_failure_code text,
  now_failure_reason text,
  -- 'keep' leaves the lease as it is, 'watch' gives it back until next_due_at, 'close' says that nothing is left to do.
  then_open text,
  next_due_at timestamptz,
  transfer_ids uuid[],
  lines smallint[],
  accounts kelpie.ledger_account[],
  amounts bigint[],
  reasons text[],
  activity_id uuid,
  activity_action text,
  activity_status integer,
  activity_by text,
  case_id uuid,
  case_kind text,
  case_detail text,
  pause_rail boolean,
  known_recipient_id text,
  forget_recipient boolean,
  free_key boolean
) returns boolean
  language plpgsql volatile
as $$
declare
  payout kelpie.payouts;
  size integer := cardinality(transfer_ids);
begin
  perform kelpie.enter(of_partner, of_environment);
  if cardinality(states) = 0 then
    raise exception 'a move without a step builds on no number' using errcode = 'check_violation';
  end if;
  for i in 1 .. cardinality(states) loop
    update kelpie.payouts p
    set state = states[i],
      revision = p.revision + 1,
      attempts = coalesce(now_attempts, p.attempts),
      bank_payment_id = coalesce(now_bank_payment_id, p.bank_payment_id),
      bank_state = coalesce(now_bank_state, p.bank_state),
      bank_took_micro_usdc = coalesce(now_bank_took_micro_usdc, p.bank_took_micro_usdc),
      bank_refunded_micro_usdc = coalesce(now_bank_refunded_micro_usdc, p.bank_refunded_micro_usdc),
      failure_code = case when states[i] in ('failed', 'returned') then coalesce(now_failure_code, p.failure_code) end,
      failure_reason = case when states[i] in ('failed', 'returned') then coalesce(now_failure_reason, p.failure_reason) end,
      completed_at = case when states[i] = 'completed' and p.state <> 'completed' then at else p.completed_at end,
      updated_at = at
    where p.id = of_payout and p.revision = from_revision + i - 1
    returning p.* into payout;
    if not found then
      if i > 1 then
        raise exception 'a payout changed under its own lock';
      end if;
      return false;
    end if;
    insert into kelpie.payout_history (
      payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, detail, transfer_ids
    ) values (
      of_payout, payout.revision, of_partner, of_environment, at, payout.state, whats[i], by_whom, payout.attempts,
      now_bank_state, details[i], array_remove(array[step_transfers[i]], null)
    );
  end loop;

  if then_open = 'close' then
    perform kelpie.give_back_open_payout(of_partner, of_environment, of_payout, null);
  elsif then_open = 'watch' then
    -- What a webhook named has been looked at, unless it came meanwhile.
    update kelpie.open_payouts o set hinted_payment_id = null where o.payout_id = of_payout and o.due_at >= o.leased_until;
    perform kelpie.give_back_open_payout(of_partner, of_environment, of_payout, next_due_at);
  end if;

  if activity_id is not null then
    insert into kelpie.activity (id, partner_id, environment, action, status, by, detail)
    values (activity_id, of_partner, of_environment, activity_action, activity_status, activity_by, of_payout::text);
  end if;
  if case_id is not null then
    insert into kelpie.cases (id, partner_id, environment, payout_id, kind, detail, opened_at)
    values (case_id, of_partner, of_environment, of_payout, case_kind, case_detail, at)
    on conflict (payout_id, kind) where closed_at is null do nothing;
  end if;
  if pause_rail then
    insert into kelpie.rail_pauses (rail, since, reason) values (payout.rail, at, case_kind) on conflict (rail) do nothing;
  end if;
  if known_recipient_id is not null then
    insert into kelpie.bank_recipients (partner_id, environment, account_index, bank_recipient_id, registered_at)
    values (of_partner, of_environment, payout.account_index, known_recipient_id, at)
    on conflict (partner_id, environment, account_index) do update set bank_recipient_id = excluded.bank_recipient_id;
  end if;
  if forget_recipient then
    delete from kelpie.bank_recipients r
    where r.partner_id = of_partner and r.environment = of_environment and r.account_index = payout.account_index;
  end if;
  if free_key then
    update kelpie.idempotency_keys k set fingerprint = '' where k.order_id = payout.order_id and k.payout_id = of_payout;
  end if;

  if size > 0 then
    perform from kelpie.post_transfers(
      transfer_ids, lines, array_fill(of_partner, array[size]), array_fill(of_environment, array[size]), accounts, amounts,
      reasons, array_fill(of_payout, array[size])
    ) t where not t.posted;
    if found then
      raise exception 'a payout that goes on takes nothing from the wallet';
    end if;
  end if;
  return true;
end;
$$;

-- One payout of the partner's, hidden ones too: the caller decides what to show.
create function kelpie.find_payout(of_partner uuid, of_environment kelpie.environment, of_payout uuid)
  returns setof kelpie.payouts
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query select * from kelpie.payouts p where p.id = of_payout;
end;
$$;

-- The payout that an idempotency key stands for, with the digest of its body; none where the key is free.
create function kelpie.find_claim(of_partner uuid, of_environment kelpie.environment, of_order_id uuid)
  returns table (payout_id uuid, fingerprint bytea)
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select k.payout_id, k.fingerprint from kelpie.idempotency_keys k where k.order_id = of_order_id and k.fingerprint <> '';
end;
$$;

-- The newest payouts that a partner may see.
create function kelpie.list_payouts(of_partner uuid, of_environment kelpie.environment, at_most integer)
  returns setof kelpie.payouts
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select * from kelpie.payouts p
    where p.partner_id = of_partner and p.environment = of_environment and p.state not in ('sending', 'not_created')
    order by p.id desc limit at_most;
end;
$$;

grant usage on schema kelpie to kelpie_payouts;
grant create on schema kelpie to kelpie_payouts;

-- Hands out open payouts that are due, of all partners, to one worker at a time. One that is taken again and again and
-- never given back is left alone for longer each time: something about it kills whoever takes it.
create function kelpie.take_open_payouts(at timestamptz, lease interval, at_most integer)
  returns table (payout_id uuid, partner_id uuid, environment kelpie.environment, hinted_payment_id text)
  language sql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
  with due as (
    select o.payout_id as id from kelpie.open_payouts o
    where o.due_at <= at and o.leased_until <= at
    order by o.due_at limit least(at_most, 500)
    for update skip locked
  )
  update kelpie.open_payouts o
  set leased_until = at + lease * power(2, least(greatest(o.takes - 4, 0), 6)),
    due_at = at + lease * power(2, least(greatest(o.takes - 4, 0), 6)),
    takes = o.takes + 1
  from due where o.payout_id = due.id
  returning o.payout_id, o.partner_id, o.environment, o.hinted_payment_id
$$;
revoke all on function kelpie.take_open_payouts(timestamptz, interval, integer) from public;
grant execute on function kelpie.take_open_payouts(timestamptz, interval, integer) to kelpie_service;
alter function kelpie.take_open_payouts(timestamptz, interval, integer) owner to kelpie_payouts;

-- The bank has news of an order: whoever looks after open payouts shall look at it next. One that is in hand just now is
-- looked at again after that. Says false where the order is not one of ours.
create function kelpie.hint_payout(of_environment kelpie.environment, of_order_id uuid, payment_id text, at timestamptz)
  returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into kelpie.open_payouts as o (payout_id, partner_id, environment, due_at, leased_until, hinted_payment_id)
  select k.payout_id, k.partner_id, k.environment, at, '-infinity', payment_id
  from kelpie.idempotency_keys k
  where k.order_id = of_order_id and k.environment = of_environment
  on conflict (payout_id) do update
  set due_at = least(o.due_at, at), hinted_payment_id = excluded.hinted_payment_id;
  return found;
end;
$$;
revoke all on function kelpie.hint_payout(kelpie.environment, uuid, text, timestamptz) from public;
grant execute on function kelpie.hint_payout(kelpie.environment, uuid, text, timestamptz) to kelpie_service;
alter function kelpie.hint_payout(kelpie.environment, uuid, text, timestamptz) owner to kelpie_payouts;

-- Every partner that has a wallet at a bank, a page at a time: for what is looked for in the bank's own lists.
create policy payouts_see on kelpie.partner_environments for select to kelpie_payouts using (true);
grant select on kelpie.partner_environments to kelpie_payouts;
create function kelpie.list_sides_at_banks(after_partner uuid, at_most integer)
  returns table (partner_id uuid, environment kelpie.environment, rail kelpie.rail, bank_customer_id text)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select e.partner_id, e.environment, e.rail, e.bank_customer_id
  from kelpie.partner_environments e
  where e.rail <> 'simulated' and e.partner_id in (
    select distinct p.partner_id from kelpie.partner_environments p
    where p.partner_id > after_partner and p.rail <> 'simulated' order by 1 limit least(at_most, 500)
  )
  order by e.partner_id, e.environment
$$;
revoke all on function kelpie.list_sides_at_banks(uuid, integer) from public;
grant execute on function kelpie.list_sides_at_banks(uuid, integer) to kelpie_service;
alter function kelpie.list_sides_at_banks(uuid, integer) owner to kelpie_payouts;

revoke create on schema kelpie from kelpie_payouts;
