-- The bare reference of the bench: what one payout and one read execute. FROZEN: never edit this file; tables.sql says why.
--
-- `create_payout` calls everything else that a payout needs. `show_each_payout` and `show_payouts` are the two reads. The
-- ledger's functions belong to kelpie_ledger and `show_each_payout` to kelpie_payouts; the rest runs as its caller, which is
-- kelpie_service. Row security then costs what it cost the product.

set role kelpie_owner;

-- Sets whose rows the transaction may see.
create function bare.enter(partner uuid, of_environment bare.environment) returns void
  language plpgsql volatile
as $$
declare
  said text;
begin
  said := set_config('bare.partner_id', partner::text, true);
  said := set_config('bare.environment', of_environment::text, true);
end;
$$;

create function bare.is_batch() returns boolean
  language sql stable parallel safe
  return coalesce(current_setting('bare.batch', true), '') = 'on';

create function bare.books_key(of_partner uuid) returns bigint
  language sql immutable strict parallel safe
  return hashtextextended('bare.books ' || of_partner::text, 0);

-- Posts the ledger entries of one or more transfers and moves the wallets. It reports which transfers a wallet covered.
create function bare.post_transfers(
  transfer_ids uuid[],
  lines smallint[],
  partner_ids uuid[],
  environments bare.environment[],
  accounts bare.ledger_account[],
  amounts bigint[],
  reasons text[],
  cause_ids uuid[]
) returns table (transfer_id uuid, posted boolean, wallet_balance bigint)
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  change record;
  wallet record;
  refused uuid[] := '{}';
  touched uuid[] := '{}';
  balances bigint[] := '{}';
  versions bigint[] := '{}';
  lowest bigint;
  is_whole boolean;
  is_balanced boolean;
  is_of_one boolean;
  has_pounds boolean;
begin
  select bool_and(t.is_whole), bool_and(t.usdc = 0 and t.gbp = 0 and t.gbp_millionths = 0),
    bool_and(t.wallet_entries <= 1) and count(*) = count(distinct t.transfer_id), bool_or(t.has_pounds)
  into is_whole, is_balanced, is_of_one, has_pounds
  from (
    select entry.transfer_id, bool_and(entry is not null) as is_whole,
      coalesce(sum(entry.amount) filter (where entry.account in ('receivable', 'revenue', 'credit_due')), 0) as gbp,
      coalesce(sum(entry.amount) filter (where entry.account in ('accrued', 'accrued_revenue')), 0) as gbp_millionths,
      coalesce(sum(entry.amount) filter (where entry.account <= 'exception_loss'), 0) as usdc,
      bool_or(entry.account > 'exception_loss') as has_pounds,
      count(*) filter (where entry.account = 'wallet') as wallet_entries
    from unnest(transfer_ids, lines, partner_ids, environments, accounts, amounts, reasons, cause_ids)
      as entry (transfer_id, line, partner_id, environment, account, amount, reason, cause_id)
    group by entry.transfer_id, entry.partner_id, entry.environment
  ) t;
  if not is_whole then
    raise exception 'an entry is not whole' using errcode = 'not_null_violation';
  end if;
  if not is_of_one then
    raise exception 'a transfer has one partner, one environment and at most one wallet entry' using errcode = 'check_violation';
  end if;
  if not is_balanced then
    raise exception 'a transfer does not sum to zero' using errcode = 'check_violation';
  end if;
  if not bare.is_batch() and exists (
    select from unnest(partner_ids, environments) as entry (partner_id, environment)
    where (entry.partner_id, entry.environment) is distinct from (bare.current_partner(), bare.current_environment())
  ) then
    raise exception 'a transfer of another partner' using errcode = 'insufficient_privilege';
  end if;

  if exists (
    select from (
      select distinct entry.partner_id, entry.environment
      from unnest(partner_ids, environments) as entry (partner_id, environment)
    ) side
    where not exists (
      select from bare.wallets w where w.partner_id = side.partner_id and w.environment = side.environment
    )
  ) then
    raise exception 'a transfer for a partner without a wallet' using errcode = 'foreign_key_violation';
  end if;

  if has_pounds then
    perform pg_advisory_xact_lock_shared(bare.books_key(side.partner_id))
    from (
      select distinct entry.partner_id
      from unnest(partner_ids, accounts) as entry (partner_id, account)
      where entry.account > 'exception_loss' order by 1
    ) side;
    if exists (
      select from unnest(transfer_ids, partner_ids, accounts) as entry (transfer_id, partner_id, account)
      join bare.closed_books b on b.partner_id = entry.partner_id
      where entry.account > 'exception_loss' and entry.transfer_id < bare.first_id_at(b.closed_until)
    ) then
      raise exception 'the books of that month are closed: post it now' using errcode = 'KP423';
    end if;
  end if;

  -- Lock in key order: two batches that share wallets would deadlock otherwise.
  perform from bare.wallets w
  where (w.partner_id, w.environment) in (
    select entry.partner_id, entry.environment
    from unnest(partner_ids, environments, accounts) as entry (partner_id, environment, account)
    where entry.account = 'wallet'
  )
  order by w.partner_id, w.environment
  for no key update;

  select array_agg(c.transfer_id), array_agg(w.balance_micro_usdc + c.so_far), array_agg(w.version + c.nth),
    min(w.balance_micro_usdc + c.so_far)
  into touched, balances, versions, lowest
  from (
    select entry.transfer_id, entry.partner_id, entry.environment, (sum(-entry.amount) over w)::bigint as so_far,
      row_number() over w as nth
    from unnest(transfer_ids, partner_ids, environments, accounts, amounts) with ordinality
      as entry (transfer_id, partner_id, environment, account, amount, arrival)
    where entry.account = 'wallet'
    window w as (partition by entry.partner_id, entry.environment order by entry.arrival)
  ) c
  join bare.wallets w on w.partner_id = c.partner_id and w.environment = c.environment;
  if lowest >= 0 then
    update bare.wallets w
    set balance_micro_usdc = w.balance_micro_usdc + c.by_micro_usdc, version = w.version + c.entries
    from (
      select entry.partner_id, entry.environment, sum(-entry.amount)::bigint as by_micro_usdc, count(*) as entries
      from unnest(partner_ids, environments, accounts, amounts) as entry (partner_id, environment, account, amount)
      where entry.account = 'wallet'
      group by entry.partner_id, entry.environment
    ) c
    where w.partner_id = c.partner_id and w.environment = c.environment;
    return query select t.transfer_id, true, t.balance from unnest(touched, balances) as t (transfer_id, balance);
  elsif lowest < 0 then
    touched := '{}';
    balances := '{}';
    versions := '{}';
    for change in
      select entry.transfer_id, entry.partner_id, entry.environment, -entry.amount as by_micro_usdc,
        row_number() over w = 1 as first, lead(entry.transfer_id) over w is null as last
      from unnest(transfer_ids, partner_ids, environments, accounts, amounts) with ordinality
        as entry (transfer_id, partner_id, environment, account, amount, arrival)
      where entry.account = 'wallet'
      window w as (partition by entry.partner_id, entry.environment order by entry.arrival)
      order by entry.partner_id, entry.environment, entry.arrival
    loop
      if change.first then
        select w.balance_micro_usdc as balance, w.version into wallet
        from bare.wallets w
        where w.partner_id = change.partner_id and w.environment = change.environment;
      end if;
      posted := wallet.balance + change.by_micro_usdc >= 0;
      if not posted then
        refused := refused || change.transfer_id;
      else
        wallet.balance := wallet.balance + change.by_micro_usdc;
        wallet.version := wallet.version + 1;
        touched := touched || change.transfer_id;
        balances := balances || wallet.balance;
        versions := versions || wallet.version;
      end if;
      transfer_id := change.transfer_id;
      wallet_balance := wallet.balance;
      return next;
      if change.last then
        update bare.wallets w
        set balance_micro_usdc = wallet.balance, version = wallet.version
        where w.partner_id = change.partner_id and w.environment = change.environment and w.version <> wallet.version;
      end if;
    end loop;
  end if;

  insert into bare.ledger_entries (
    transfer_id, line, partner_id, environment, account, amount, reason, cause_id, wallet_balance_after, wallet_version
  )
  select entry.transfer_id, entry.line, entry.partner_id, entry.environment, entry.account, entry.amount, entry.reason,
    entry.cause_id, after.balance, after.version
  from unnest(transfer_ids, lines, partner_ids, environments, accounts, amounts, reasons, cause_ids)
    as entry (transfer_id, line, partner_id, environment, account, amount, reason, cause_id)
  left join unnest(touched, balances, versions) as after (transfer_id, balance, version)
    on after.transfer_id = entry.transfer_id and entry.account = 'wallet'
  where entry.transfer_id <> all (refused);

  if refused <> '{}' and exists (
    select from unnest(refused) as r (transfer_id)
    join bare.ledger_entries e on e.transfer_id = r.transfer_id and e.line = 1
  ) then
    raise exception 'a transfer that was posted before' using errcode = 'unique_violation';
  end if;
end;
$$;

create function bare.lock_wallet(of_partner uuid, of_environment bare.environment) returns bigint
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  balance bigint;
begin
  if (of_partner, of_environment) is distinct from (bare.current_partner(), bare.current_environment()) then
    raise exception 'a wallet of another partner' using errcode = 'insufficient_privilege';
  end if;
  select w.balance_micro_usdc into balance
  from bare.wallets w
  where w.partner_id = of_partner and w.environment = of_environment
  for no key update;
  return balance;
end;
$$;

-- The partner's rail is read under the wallet's lock.
create function bare.refuse_illegal_move() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    if new.state not in ('sending', 'processing', 'failed') or new.revision <> 1 then
      raise exception 'a payout does not begin as %', new.state using errcode = 'check_violation';
    end if;
    if new.rail = 'simulated' then
      if not bare.is_batch() then
        perform bare.lock_wallet(new.partner_id, new.environment);
      end if;
      if not exists (
        select from bare.partner_environments e
        where e.partner_id = new.partner_id and e.environment = new.environment and e.rail = 'simulated'
      ) then
        raise exception 'the partner has left this rail' using errcode = 'KP410';
      end if;
    end if;
    return new;
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
create trigger legal_moves before insert or update on bare.payouts
  for each row execute function bare.refuse_illegal_move();

create function bare.refuse_loss_of_key() returns trigger
  language plpgsql
as $$
begin
  if exists (select from bare.payouts p where p.id = old.payout_id and p.state = 'not_created') then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  if tg_op = 'DELETE' and not exists (select from bare.payouts p where p.id = old.payout_id) then
    return old;
  end if;
  raise exception 'a key stands for its payout for ever' using errcode = 'check_violation';
end;
$$;
create trigger keys_stay before update or delete on bare.idempotency_keys
  for each row execute function bare.refuse_loss_of_key();

-- One payout in one call: key, payout, history, lease, activity and ledger entries.
create function bare.create_payout(
  of_partner uuid,
  of_environment bare.environment,
  api_key_id uuid,
  new_payout_id uuid,
  new_order_id uuid,
  new_key text,
  new_fingerprint bytea,
  at timestamptz,
  on_rail bare.rail,
  first_state bare.payout_state,
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
  accounts bare.ledger_account[],
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
  existing bare.payout_state;
  is_next_round boolean;
  refused record;
  size integer := cardinality(transfer_ids);
begin
  perform bare.enter(of_partner, of_environment);
  if new_created_via = 'api' then
    select p.status into partner_status
    from bare.api_keys k join bare.partners p on p.id = k.partner_id
    where k.id = api_key_id and k.environment = of_environment and k.revoked_at is null;
  else
    select p.status into partner_status
    from bare.sessions s
    join bare.members m on m.email = s.email and m.partner_id = s.partner_id and m.role = 'admin'
    join bare.partners p on p.id = s.partner_id
    where s.id = api_key_id and s.revoked_at is null
      and (of_environment = 'sandbox' or current_setting('bare.confirmed_order', true) = new_order_id::text);
  end if;
  if not found then
    outcome := 'unauthorized';
    return next;
    return;
  end if;

  -- A second call with the same key waits here until the first has committed.
  insert into bare.idempotency_keys as k (order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at)
  values (new_order_id, of_partner, of_environment, new_key, new_payout_id, new_fingerprint, at)
  on conflict (order_id) do nothing
  returning k.bank_round, k.round_began_at into claim;
  if not found then
    select k.payout_id, k.fingerprint, k.bank_round, k.round_began_at into strict claim
    from bare.idempotency_keys k where k.order_id = new_order_id for no key update;
    select p.state into strict existing from bare.payouts p where p.id = claim.payout_id;
    if existing <> 'not_created' or claim.fingerprint not in (new_fingerprint, '') then
      outcome := 'exists';
      payout_id := claim.payout_id;
      fingerprint := claim.fingerprint;
      return next;
      return;
    end if;
    is_next_round := claim.fingerprint = '' or claim.round_began_at < at - interval '23 hours';
    if is_next_round and exists (
      select from bare.cases c
      where c.payout_id = claim.payout_id and c.kind = 'paid_though_not_created' and c.closed_at is null
    ) then
      raise exception 'a person is looking at an earlier payment' using errcode = 'KP409';
    end if;
    update bare.idempotency_keys k
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
  if exists (select from bare.rail_pauses r where r.rail = on_rail) then
    raise exception 'the rail is paused' using errcode = 'KP502';
  end if;

  insert into bare.payouts (
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
  insert into bare.payout_history (
    payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, detail, transfer_ids
  ) values (
    new_payout_id, 1, of_partner, of_environment, at, first_state, 'created', new_created_by, 1, new_bank_state,
    new_failure_code, array(select distinct unnest(transfer_ids) order by 1)
  );
  if new_due_at is not null then
    insert into bare.open_payouts (payout_id, partner_id, environment, due_at, leased_until)
    values (new_payout_id, of_partner, of_environment, new_due_at, new_leased_until);
  end if;
  if activity_id is not null then
    insert into bare.activity (id, partner_id, environment, action, status, by, detail)
    values (activity_id, of_partner, of_environment, 'payout.create', activity_status, new_created_by, new_payout_id::text);
  end if;

  -- Last, because it locks the wallet: payouts that share one wait for each other as briefly as possible.
  select t.wallet_balance into refused
  from bare.post_transfers(
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
    select r.bank_recipient_id from bare.bank_recipients r
    where r.partner_id = of_partner and r.environment = of_environment and r.account_index = new_account_index
  );
  return next;
end;
$$;

create type bare.shown_payout as (
  id uuid,
  state bare.payout_state,
  reference text,
  bank_reference text,
  amount_pence bigint,
  fee_pence bigint,
  wallet_sends_micro_usdc bigint,
  recipient_name text,
  account_last4 text,
  failure_code text,
  failure_reason text,
  updated_at timestamptz,
  created_via text
);

-- Payouts by id, each for the partner that asks.
create function bare.show_each_payout(partner_ids uuid[], environments bare.environment[], payout_ids uuid[])
  returns table (place bigint, payout bare.shown_payout)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  return query
    select item.place, (
      p.id, p.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_sends_micro_usdc,
      p.recipient_name, p.account_last4, p.failure_code, p.failure_reason, p.updated_at, p.created_via
    )::bare.shown_payout
    from unnest(partner_ids, environments, payout_ids) with ordinality as item (partner_id, environment, id, place)
    join bare.payouts p on p.id = item.id and p.partner_id = item.partner_id and p.environment = item.environment
    where p.state not in ('sending', 'not_created');
end;
$$;

-- The newest payouts of a partner before an id.
create function bare.show_payouts(of_partner uuid, of_environment bare.environment, before_id uuid, at_most integer)
  returns setof bare.shown_payout
  language plpgsql volatile
as $$
begin
  perform bare.enter(of_partner, of_environment);
  return query
    select p.id, p.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_sends_micro_usdc,
      p.recipient_name, p.account_last4, p.failure_code, p.failure_reason, p.updated_at, p.created_via
    from bare.payouts p
    where p.partner_id = of_partner and p.environment = of_environment and p.id < before_id
      and p.state not in ('sending', 'not_created')
    order by p.id desc limit at_most;
end;
$$;

reset role;

alter function bare.post_transfers owner to kelpie_ledger;
alter function bare.lock_wallet owner to kelpie_ledger;
alter function bare.show_each_payout owner to kelpie_payouts;
grant select on bare.closed_books to kelpie_ledger;
grant select on bare.sessions, bare.members, bare.cases to kelpie_service;
