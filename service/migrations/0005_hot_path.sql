-- What is done most often, made cheaper. Many commits of payouts in one: what arrives while the database is busy goes in
-- together, each exactly as if alone. Reads that carry what is shown, hints that are news, pages with room for updates.

-- As before, in a language whose plans are kept: an SQL function is planned anew at every call.
create or replace function kelpie.enter(partner uuid, of_environment kelpie.environment) returns void
  language plpgsql volatile
as $$
declare
  said text;
begin
  said := set_config('kelpie.partner_id', partner::text, true);
  said := set_config('kelpie.environment', of_environment::text, true);
end;
$$;

grant create on schema kelpie to kelpie_ledger;
set local role kelpie_ledger;

-- Posts many transfers of many partners in one call. The arrays are the columns of the entries, in order of arrival; the
-- entries of one transfer stand together. A transfer that would take its wallet below zero is not posted, and touches no
-- other. Says of each transfer with a wallet entry whether it was posted, and what the wallet then holds.
create or replace function kelpie.post_transfers(
  transfer_ids uuid[],
  lines smallint[],
  partner_ids uuid[],
  environments kelpie.environment[],
  accounts kelpie.ledger_account[],
  amounts bigint[],
  reasons text[],
  cause_ids uuid[]
) returns table (transfer_id uuid, posted boolean, wallet_balance bigint)
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  -- Wallets are found by their keys, also on a connection that first saw few of them.
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
begin
  -- A null, or an array that is too short and padded with nulls, would slip through every comparison below.
  select bool_and(t.is_whole), bool_and(t.usdc = 0 and t.gbp = 0),
    bool_and(t.wallet_entries <= 1) and count(*) = count(distinct t.transfer_id)
  into is_whole, is_balanced, is_of_one
  from (
    select entry.transfer_id, bool_and(entry is not null) as is_whole,
      -- As kelpie.currency_of says; a call of it for each entry would cost more than all the rest.
      coalesce(sum(entry.amount) filter (where entry.account in ('receivable', 'revenue', 'credit_due')), 0) as gbp,
      coalesce(sum(entry.amount) filter (where entry.account not in ('receivable', 'revenue', 'credit_due')), 0) as usdc,
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
  -- A transaction posts for the partner that it is about, and for none where it says none; a batch says that it is one.
  if not kelpie.is_batch() and exists (
    select from unnest(partner_ids, environments) as entry (partner_id, environment)
    where (entry.partner_id, entry.environment) is distinct from (kelpie.current_partner(), kelpie.current_environment())
  ) then
    raise exception 'a transfer of another partner' using errcode = 'insufficient_privilege';
  end if;

  if exists (
    select from (
      select distinct entry.partner_id, entry.environment
      from unnest(partner_ids, environments) as entry (partner_id, environment)
    ) side
    where not exists (
      select from kelpie.wallets w where w.partner_id = side.partner_id and w.environment = side.environment
    )
  ) then
    raise exception 'a transfer for a partner without a wallet' using errcode = 'foreign_key_violation';
  end if;

  -- Lock in the order of the key: two batches that share wallets would deadlock otherwise.
  perform from kelpie.wallets w
  where (w.partner_id, w.environment) in (
    select entry.partner_id, entry.environment
    from unnest(partner_ids, environments, accounts) as entry (partner_id, environment, account)
    where entry.account = 'wallet'
  )
  order by w.partner_id, w.environment
  for no key update;

  -- As a rule every wallet covers all that is asked of it. Then this is one step for all of them.
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
  join kelpie.wallets w on w.partner_id = c.partner_id and w.environment = c.environment;
  if lowest >= 0 then
    update kelpie.wallets w
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
    -- Wallet by wallet, in order of arrival: what a wallet can't cover is refused, and what comes behind it still has its turn.
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
        from kelpie.wallets w
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
        update kelpie.wallets w
        set balance_micro_usdc = wallet.balance, version = wallet.version
        where w.partner_id = change.partner_id and w.environment = change.environment and w.version <> wallet.version;
      end if;
    end loop;
  end if;

  insert into kelpie.ledger_entries (
    transfer_id, line, partner_id, environment, account, amount, reason, cause_id, wallet_balance_after, wallet_version
  )
  select entry.transfer_id, entry.line, entry.partner_id, entry.environment, entry.account, entry.amount, entry.reason,
    entry.cause_id, after.balance, after.version
  from unnest(transfer_ids, lines, partner_ids, environments, accounts, amounts, reasons, cause_ids)
    as entry (transfer_id, line, partner_id, environment, account, amount, reason, cause_id)
  left join unnest(touched, balances, versions) as after (transfer_id, balance, version)
    on after.transfer_id = entry.transfer_id and entry.account = 'wallet'
  where entry.transfer_id <> all (refused);

  -- Refused for want of funds, though it was posted before and that is where the funds are: a bug, as any other repeat.
  if refused <> '{}' and exists (
    select from unnest(refused) as r (transfer_id)
    join kelpie.ledger_entries e on e.transfer_id = r.transfer_id and e.line = 1
  ) then
    raise exception 'a transfer that was posted before' using errcode = 'unique_violation';
  end if;
end;
$$;
grant execute on function kelpie.post_transfers(uuid[], smallint[], uuid[], kelpie.environment[], kelpie.ledger_account[], bigint[], text[], uuid[])
  to kelpie_payouts;

reset role;
revoke create on schema kelpie from kelpie_ledger;

-- A batch mixes partners, so no one partner's context can be its own. Its functions belong to kelpie_payouts, which gets
-- exactly what they read and write; they bind every row to the partner whose key asked for it.
create policy payouts_see on kelpie.api_keys for select to kelpie_payouts using (true);
create policy payouts_see on kelpie.partners for select to kelpie_payouts using (true);
create policy payouts_all on kelpie.payouts to kelpie_payouts using (true) with check (true);
create policy payouts_add on kelpie.payout_history for insert to kelpie_payouts with check (true);
create policy payouts_add on kelpie.idempotency_keys for insert to kelpie_payouts with check (true);
create policy payouts_drop on kelpie.idempotency_keys for delete to kelpie_payouts using (true);
create policy payouts_add on kelpie.activity for insert to kelpie_payouts with check (true);
create policy payouts_all on kelpie.bank_recipients to kelpie_payouts using (true) with check (true);
grant select (id, partner_id, environment, revoked_at) on kelpie.api_keys to kelpie_payouts;
grant select (id, status) on kelpie.partners to kelpie_payouts;
grant select on kelpie.rail_pauses to kelpie_payouts;
grant select, insert on kelpie.payouts to kelpie_payouts;
grant update (
  state, revision, attempts, bank_payment_id, bank_state, bank_took_micro_usdc, bank_refunded_micro_usdc, failure_code,
  failure_reason, updated_at, completed_at
) on kelpie.payouts to kelpie_payouts;
grant insert on kelpie.payout_history to kelpie_payouts;
grant insert, delete on kelpie.idempotency_keys to kelpie_payouts;
grant delete on kelpie.open_payouts to kelpie_payouts;
grant insert on kelpie.activity to kelpie_payouts;
grant select, insert, update on kelpie.bank_recipients to kelpie_payouts;

-- A key that was lost, or stood for another payout, would let the same order be paid twice. It changes only where its
-- payout was certainly never sent, and goes only then or where its payout was never made.
create or replace function kelpie.refuse_loss_of_key() returns trigger
  language plpgsql
as $$
begin
  if exists (select from kelpie.payouts p where p.id = old.payout_id and p.state = 'not_created') then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  if tg_op = 'DELETE' and not exists (select from kelpie.payouts p where p.id = old.payout_id) then
    return old;
  end if;
  raise exception 'a key stands for its payout for ever' using errcode = 'check_violation';
end;
$$;

grant create on schema kelpie to kelpie_payouts;

-- Posts entries of those payouts of a batch that are wanted: those of each payout's first transfer, or those of the rest.
-- An entry names the place of its payout in the batch, and so its partner: it can't name another's.
create function kelpie.post_of_payouts(
  is_wanted boolean[],
  partner_ids uuid[],
  environments kelpie.environment[],
  payout_ids uuid[],
  entry_payouts integer[],
  entry_firsts boolean[],
  entry_transfers uuid[],
  entry_lines smallint[],
  entry_accounts kelpie.ledger_account[],
  entry_amounts bigint[],
  entry_reasons text[],
  of_first boolean
) returns table (transfer_id uuid, posted boolean, wallet_balance bigint)
  language plpgsql volatile
as $$
#variable_conflict use_column
begin
  return query
  select p.transfer_id, p.posted, p.wallet_balance
  from (
    select array_agg(entry.transfer_id) as transfers, array_agg(entry.line) as lines, array_agg(entry.account) as accounts,
      array_agg(entry.amount) as amounts, array_agg(entry.reason) as reasons, array_agg(partner_ids[entry.place]) as partners,
      array_agg(environments[entry.place]) as of_environments, array_agg(payout_ids[entry.place]) as causes
    from (
      select e.place, e.transfer_id, e.line, e.account, e.amount, e.reason
      from unnest(entry_payouts, entry_firsts, entry_transfers, entry_lines, entry_accounts, entry_amounts, entry_reasons)
        with ordinality as e (place, is_first, transfer_id, line, account, amount, reason, arrival)
      where is_wanted[e.place] and e.is_first = of_first order by e.arrival
    ) entry
    having count(*) > 0
  ) e
  cross join lateral kelpie.post_transfers(
    e.transfers, e.lines, e.partners, e.of_environments, e.accounts, e.amounts, e.reasons, e.causes
  ) p;
end;
$$;

-- The functions below find rows by their keys alone, and say so: a plan that was made while a table was small would read all
-- of it for as long as the connection lasts.

-- The first commits of many payouts, of any partners. The arrays are columns, in order of arrival; each payout has another
-- order id. Says of each what became of it: `created`; `insufficient_funds`, with what the wallet held when its turn came;
-- or `alone` for anything else than a new order of a partner in good standing: create_payout then decides, and says why.
--
-- Keys first, then wallets, each in their order: two batches, or a batch and a single call, can't wait for each other.
create function kelpie.create_payouts(
  partner_ids uuid[],
  environments kelpie.environment[],
  api_key_ids uuid[],
  payout_ids uuid[],
  order_ids uuid[],
  keys text[],
  fingerprints bytea[],
  instants timestamptz[],
  rails kelpie.rail[],
  first_states kelpie.payout_state[],
  references_given text[],
  bank_references text[],
  amounts_pence bigint[],
  fees_pence bigint[],
  bank_shares_pence bigint[],
  wallets_send_micro_usdc bigint[],
  gbp_per_usd_millionths bigint[],
  price_plans text[],
  recipient_names text[],
  accounts_last4 text[],
  recipients_sealed bytea[],
  account_indexes bytea[],
  created_vias text[],
  created_bys text[],
  bank_payment_ids text[],
  bank_states text[],
  bank_took_micro_usdc bigint[],
  failure_codes text[],
  failure_reasons text[],
  leased_untils timestamptz[],
  due_ats timestamptz[],
  activity_ids uuid[],
  activity_statuses integer[],
  -- The transfers of each payout, as the text of an array.
  transfer_lists text[],
  -- The entries of those transfers, each with the place of its payout in the arrays above, and whether its transfer is the
  -- payout's first.
  entry_payouts integer[],
  entry_firsts boolean[],
  entry_transfers uuid[],
  entry_lines smallint[],
  entry_accounts kelpie.ledger_account[],
  entry_amounts bigint[],
  entry_reasons text[]
) returns table (place bigint, outcome text, available_micro_usdc bigint, bank_recipient_id text)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  is_claimed boolean[];
  is_granted boolean[];
  refused_transfers uuid[];
  balances bigint[];
  available bigint[];
begin
  perform set_config('kelpie.batch', 'on', true);
  if exists (
    select from unnest(entry_payouts, entry_firsts) as entry (place, is_first)
    where (entry.place between 1 and cardinality(payout_ids) and entry.is_first is not null) is not true
  ) then
    raise exception 'an entry of no payout' using errcode = 'check_violation';
  end if;

  -- Whoever comes second with the same key waits here until the first has committed.
  with claimed as (
    insert into kelpie.idempotency_keys as k (order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at)
    select item.order_id, item.partner_id, item.environment, item.key, item.payout_id, item.fingerprint, item.instant
    from unnest(order_ids, partner_ids, environments, keys, payout_ids, fingerprints, instants, api_key_ids, rails)
      as item (order_id, partner_id, environment, key, payout_id, fingerprint, instant, api_key_id, rail)
    join kelpie.api_keys a
      on a.id = item.api_key_id and a.partner_id = item.partner_id and a.environment = item.environment
      and a.revoked_at is null
    join kelpie.partners p
      on p.id = item.partner_id and (p.status = 'active' or (p.status = 'onboarding' and item.environment = 'sandbox'))
    where not exists (select from kelpie.rail_pauses r where r.rail = item.rail)
    order by item.order_id
    on conflict (order_id) do nothing
    returning k.payout_id
  )
  select array_agg(claimed.payout_id is not null order by item.place) into is_claimed
  from unnest(payout_ids) with ordinality as item (payout_id, place)
  left join claimed on claimed.payout_id = item.payout_id;

  -- What is held first decides; what follows from it is posted for those alone that it was granted to.
  select array_agg(t.transfer_id), array_agg(t.wallet_balance) into refused_transfers, balances
  from kelpie.post_of_payouts(
    is_claimed, partner_ids, environments, payout_ids, entry_payouts, entry_firsts, entry_transfers, entry_lines,
    entry_accounts, entry_amounts, entry_reasons, true
  ) t
  where not t.posted;
  is_granted := is_claimed;
  if refused_transfers is not null then
    select array_agg(is_claimed[item.place] and refused.balance is null order by item.place),
      array_agg(refused.balance order by item.place)
    into is_granted, available
    from generate_subscripts(payout_ids, 1) as item (place)
    left join (
      select entry.place, min(t.balance) as balance
      from unnest(refused_transfers, balances) as t (transfer_id, balance)
      join unnest(entry_payouts, entry_transfers) as entry (place, transfer_id) on entry.transfer_id = t.transfer_id
      group by entry.place
    ) refused on refused.place = item.place;
    -- What was refused leaves no claim behind.
    delete from kelpie.idempotency_keys k
    where k.order_id in (
      select item.order_id from unnest(order_ids) with ordinality as item (order_id, place)
      where is_claimed[item.place] and not is_granted[item.place]
    );
  end if;

  perform from kelpie.post_of_payouts(
    is_granted, partner_ids, environments, payout_ids, entry_payouts, entry_firsts, entry_transfers, entry_lines,
    entry_accounts, entry_amounts, entry_reasons, false
  ) t where not t.posted;
  if found then
    raise exception 'what follows from a hold takes nothing from the wallet';
  end if;

  insert into kelpie.payouts (
    id, partner_id, environment, rail, state, revision, attempts, idempotency_key, order_id, bank_round, first_tried_at,
    reference, bank_reference, amount_pence, fee_pence, bank_share_pence, wallet_sends_micro_usdc, gbp_per_usd_millionths,
    price_plan, recipient_name, account_last4, recipient_sealed, account_index, created_via, created_by, bank_payment_id,
    bank_state, bank_took_micro_usdc, failure_code, failure_reason, updated_at
  )
  select item.id, item.partner_id, item.environment, item.rail, item.state, 1, 1, item.key, item.order_id, 1, item.instant,
    item.reference, item.bank_reference, item.amount, item.fee, item.bank_share, item.wallet_sends, item.rate,
    item.price_plan, item.recipient_name, item.last4, item.sealed, item.account_index, item.via, item.created_by,
    item.bank_payment_id, item.bank_state, item.took, item.failure_code, item.failure_reason, item.instant
  from unnest(
    payout_ids, partner_ids, environments, rails, first_states, keys, order_ids, instants, references_given, bank_references,
    amounts_pence, fees_pence, bank_shares_pence, wallets_send_micro_usdc, gbp_per_usd_millionths, price_plans,
    recipient_names, accounts_last4, recipients_sealed, account_indexes, created_vias, created_bys, bank_payment_ids,
    bank_states, bank_took_micro_usdc, failure_codes, failure_reasons
  ) with ordinality as item (
    id, partner_id, environment, rail, state, key, order_id, instant, reference, bank_reference, amount, fee, bank_share,
    wallet_sends, rate, price_plan, recipient_name, last4, sealed, account_index, via, created_by, bank_payment_id, bank_state,
    took, failure_code, failure_reason, place
  )
  where is_granted[item.place];

  insert into kelpie.payout_history (
    payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, detail, transfer_ids
  )
  select item.id, 1, item.partner_id, item.environment, item.instant, item.state, 'created', item.created_by, 1,
    item.bank_state, item.failure_code, item.transfers::uuid[]
  from unnest(
    payout_ids, partner_ids, environments, instants, first_states, created_bys, bank_states, failure_codes, transfer_lists
  ) with ordinality
    as item (id, partner_id, environment, instant, state, created_by, bank_state, failure_code, transfers, place)
  where is_granted[item.place];

  insert into kelpie.open_payouts (payout_id, partner_id, environment, due_at, leased_until)
  select item.id, item.partner_id, item.environment, item.due_at, item.leased_until
  from unnest(payout_ids, partner_ids, environments, due_ats, leased_untils) with ordinality
    as item (id, partner_id, environment, due_at, leased_until, place)
  where is_granted[item.place] and item.due_at is not null;

  insert into kelpie.activity (id, partner_id, environment, action, status, by, detail)
  select item.id, item.partner_id, item.environment, 'payout.create', item.status, item.created_by, item.payout_id::text
  from unnest(activity_ids, partner_ids, environments, activity_statuses, created_bys, payout_ids) with ordinality
    as item (id, partner_id, environment, status, created_by, payout_id, place)
  where is_granted[item.place] and item.id is not null;

  return query
    select item.place,
      case when is_granted[item.place] then 'created' when is_claimed[item.place] then 'insufficient_funds' else 'alone' end,
      available[item.place],
      r.bank_recipient_id
    from unnest(partner_ids, environments, account_indexes, first_states) with ordinality
      as item (partner_id, environment, account_index, state, place)
    left join kelpie.bank_recipients r
      on item.state = 'sending' and r.partner_id = item.partner_id and r.environment = item.environment
      and r.account_index = item.account_index;
end;
$$;
revoke all on function kelpie.create_payouts from public;
grant execute on function kelpie.create_payouts to kelpie_service;
alter function kelpie.create_payouts owner to kelpie_payouts;

-- One later step of many payouts, of any partners: what move_payout does for one, where it is a single step and asks for no
-- person. Says of each whether it was done; one that has changed since its caller read it is left as it is.
--
-- Payouts first, then leases, recipients and wallets, each in their order, as move_payout takes them.
create function kelpie.move_payouts(
  partner_ids uuid[],
  environments kelpie.environment[],
  payout_ids uuid[],
  from_revisions integer[],
  instants timestamptz[],
  by_whom text[],
  states kelpie.payout_state[],
  whats text[],
  details text[],
  transfer_ids uuid[],
  now_attempts integer[],
  now_bank_payment_ids text[],
  now_bank_states text[],
  now_bank_took_micro_usdc bigint[],
  now_bank_refunded_micro_usdc bigint[],
  now_failure_codes text[],
  now_failure_reasons text[],
  then_opens text[],
  next_due_ats timestamptz[],
  activity_ids uuid[],
  activity_actions text[],
  activity_statuses integer[],
  activity_by text[],
  known_recipient_ids text[],
  -- The entries of the transfers, each with the place of its payout in the arrays above.
  entry_payouts integer[],
  entry_firsts boolean[],
  entry_transfers uuid[],
  entry_lines smallint[],
  entry_accounts kelpie.ledger_account[],
  entry_amounts bigint[],
  entry_reasons text[]
) returns table (place integer, is_moved boolean)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  is_done boolean[];
  attempts_now integer[];
  account_indexes bytea[];
begin
  perform set_config('kelpie.batch', 'on', true);
  if exists (
    select from unnest(entry_payouts, entry_firsts) as entry (place, is_first)
    where (entry.place between 1 and cardinality(payout_ids) and entry.is_first is not null) is not true
  ) then
    raise exception 'an entry of no payout' using errcode = 'check_violation';
  end if;

  -- Joined, not compared with the whole array: so each id is looked for in its own month.
  perform from unnest(payout_ids) as item (id) join kelpie.payouts p on p.id = item.id
  order by p.id for no key update of p;
  with moved as (
    update kelpie.payouts p
    set state = item.state,
      revision = p.revision + 1,
      attempts = coalesce(item.attempts, p.attempts),
      bank_payment_id = coalesce(item.bank_payment_id, p.bank_payment_id),
      bank_state = coalesce(item.bank_state, p.bank_state),
      bank_took_micro_usdc = coalesce(item.took, p.bank_took_micro_usdc),
      bank_refunded_micro_usdc = coalesce(item.refunded, p.bank_refunded_micro_usdc),
      failure_code = case when item.state in ('failed', 'returned') then coalesce(item.failure_code, p.failure_code) end,
      failure_reason = case when item.state in ('failed', 'returned') then coalesce(item.failure_reason, p.failure_reason) end,
      completed_at = case when item.state = 'completed' and p.state <> 'completed' then item.instant else p.completed_at end,
      updated_at = item.instant
    from unnest(
      payout_ids, partner_ids, environments, from_revisions, instants, states, now_attempts, now_bank_payment_ids,
      now_bank_states, now_bank_took_micro_usdc, now_bank_refunded_micro_usdc, now_failure_codes, now_failure_reasons
    ) with ordinality as item (
      id, partner_id, environment, revision, instant, state, attempts, bank_payment_id, bank_state, took, refunded,
      failure_code, failure_reason, place
    )
    where p.id = item.id and p.partner_id = item.partner_id and p.environment = item.environment
      and p.revision = item.revision
    returning item.place, p.attempts, p.account_index
  )
  select array_agg(moved.place is not null order by item.place), array_agg(moved.attempts order by item.place),
    array_agg(moved.account_index order by item.place)
  into is_done, attempts_now, account_indexes
  from generate_subscripts(payout_ids, 1) as item (place)
  left join moved on moved.place = item.place;

  insert into kelpie.payout_history (
    payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, detail, transfer_ids
  )
  select item.id, item.revision + 1, item.partner_id, item.environment, item.instant, item.state, item.what, item.by_whom,
    attempts_now[item.place], item.bank_state, item.detail, array_remove(array[item.transfer_id], null)
  from unnest(
    payout_ids, from_revisions, partner_ids, environments, instants, states, whats, by_whom, now_bank_states, details,
    transfer_ids
  ) with ordinality as item (
    id, revision, partner_id, environment, instant, state, what, by_whom, bank_state, detail, transfer_id, place
  )
  where is_done[item.place];

  -- As give_back_open_payout: news that came while it was in hand leave it due at once.
  perform from kelpie.open_payouts o where o.payout_id = any (payout_ids) order by o.payout_id for update;
  delete from kelpie.open_payouts o
  using unnest(payout_ids, then_opens) with ordinality as item (id, then_open, place)
  where o.payout_id = item.id and item.then_open = 'close' and is_done[item.place] and o.due_at >= o.leased_until;
  update kelpie.open_payouts o set leased_until = '-infinity', takes = 0
  from unnest(payout_ids, then_opens) with ordinality as item (id, then_open, place)
  where o.payout_id = item.id and item.then_open = 'close' and is_done[item.place];
  insert into kelpie.open_payouts as o (payout_id, partner_id, environment, due_at, leased_until)
  select item.id, item.partner_id, item.environment, item.next_due_at, '-infinity'
  from unnest(payout_ids, partner_ids, environments, then_opens, next_due_ats) with ordinality
    as item (id, partner_id, environment, then_open, next_due_at, place)
  where item.then_open = 'watch' and is_done[item.place]
  order by item.id
  on conflict (payout_id) do update
  set due_at = case when o.due_at < o.leased_until then o.due_at else excluded.due_at end,
    -- What a webhook named has been looked at, unless it came meanwhile.
    hinted_payment_id = case when o.due_at < o.leased_until then o.hinted_payment_id end,
    leased_until = '-infinity',
    takes = 0;

  insert into kelpie.activity (id, partner_id, environment, action, status, by, detail)
  select item.id, item.partner_id, item.environment, item.action, item.status, item.by_whom, item.payout_id::text
  from unnest(
    activity_ids, partner_ids, environments, activity_actions, activity_statuses, activity_by, payout_ids
  ) with ordinality as item (id, partner_id, environment, action, status, by_whom, payout_id, place)
  where is_done[item.place] and item.id is not null;

  insert into kelpie.bank_recipients as r (partner_id, environment, account_index, bank_recipient_id, registered_at)
  select distinct on (item.partner_id, item.environment, account_indexes[item.place])
    item.partner_id, item.environment, account_indexes[item.place], item.recipient_id, item.instant
  from unnest(partner_ids, environments, known_recipient_ids, instants) with ordinality
    as item (partner_id, environment, recipient_id, instant, place)
  where is_done[item.place] and item.recipient_id is not null
  order by item.partner_id, item.environment, account_indexes[item.place], item.place desc
  on conflict (partner_id, environment, account_index) do update set bank_recipient_id = excluded.bank_recipient_id;

  perform from kelpie.post_of_payouts(
    is_done, partner_ids, environments, payout_ids, entry_payouts, entry_firsts, entry_transfers, entry_lines,
    entry_accounts, entry_amounts, entry_reasons, true
  ) t where not t.posted;
  if found then
    raise exception 'a payout that goes on takes nothing from the wallet';
  end if;

  return query select item.place, is_done[item.place] from generate_subscripts(payout_ids, 1) as item (place);
end;
$$;
revoke all on function kelpie.move_payouts from public;
grant execute on function kelpie.move_payouts to kelpie_service;
alter function kelpie.move_payouts owner to kelpie_payouts;

-- The bank has news of an order: whoever looks after open payouts shall look at it next. One that is in hand just now is
-- looked at again after that. That a payment is under way is no news of one that we know to be. Says false where the order
-- is not one of ours.
drop function kelpie.hint_payout(kelpie.environment, uuid, text, timestamptz);
create function kelpie.hint_payout(
  of_environment kelpie.environment, of_order_id uuid, payment_id text, at timestamptz, is_under_way boolean
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  claim record;
begin
  select k.payout_id, k.partner_id, k.environment into claim
  from kelpie.idempotency_keys k
  where k.order_id = of_order_id and k.environment = of_environment;
  if not found then
    return false;
  end if;
  if is_under_way and exists (
    select from kelpie.payouts p
    where p.id = claim.payout_id and p.state = 'processing' and p.bank_payment_id = hint_payout.payment_id
      and p.bank_took_micro_usdc is not null
  ) then
    return true;
  end if;
  insert into kelpie.open_payouts as o (payout_id, partner_id, environment, due_at, leased_until, hinted_payment_id)
  values (claim.payout_id, claim.partner_id, claim.environment, at, '-infinity', hint_payout.payment_id)
  on conflict (payout_id) do update
  set due_at = least(o.due_at, at), hinted_payment_id = excluded.hinted_payment_id;
  return true;
end;
$$;
revoke all on function kelpie.hint_payout(kelpie.environment, uuid, text, timestamptz, boolean) from public;
grant execute on function kelpie.hint_payout(kelpie.environment, uuid, text, timestamptz, boolean) to kelpie_service;
alter function kelpie.hint_payout(kelpie.environment, uuid, text, timestamptz, boolean) owner to kelpie_payouts;

-- What a partner is shown of a payout: reads carry no more than that, and what is sealed stays where it is.
create type kelpie.shown_payout as (
  id uuid,
  state kelpie.payout_state,
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

-- Payouts by their ids, each for the partner that asks for it: another's is as little there as one that never was.
create function kelpie.show_each_payout(partner_ids uuid[], environments kelpie.environment[], payout_ids uuid[])
  returns table (place bigint, payout kelpie.shown_payout)
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
    )::kelpie.shown_payout
    from unnest(partner_ids, environments, payout_ids) with ordinality as item (partner_id, environment, id, place)
    join kelpie.payouts p on p.id = item.id and p.partner_id = item.partner_id and p.environment = item.environment
    where p.state not in ('sending', 'not_created');
end;
$$;
revoke all on function kelpie.show_each_payout(uuid[], kelpie.environment[], uuid[]) from public;
grant execute on function kelpie.show_each_payout(uuid[], kelpie.environment[], uuid[]) to kelpie_service;
alter function kelpie.show_each_payout(uuid[], kelpie.environment[], uuid[]) owner to kelpie_payouts;

revoke create on schema kelpie from kelpie_payouts;

-- The newest that a partner may see.
create function kelpie.show_payouts(of_partner uuid, of_environment kelpie.environment, at_most integer)
  returns setof kelpie.shown_payout
  language plpgsql volatile
as $$
begin
  perform kelpie.enter(of_partner, of_environment);
  return query
    select p.id, p.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_sends_micro_usdc,
      p.recipient_name, p.account_last4, p.failure_code, p.failure_reason, p.updated_at, p.created_via
    from kelpie.payouts p
    where p.partner_id = of_partner and p.environment = of_environment and p.state not in ('sending', 'not_created')
    order by p.id desc limit at_most;
end;
$$;
drop function kelpie.list_payouts(uuid, kelpie.environment, integer);

-- Makes one month's partition of one table, where it is missing, and says whether it did. It is made alone and then
-- attached: attaching lets inserts go on, while "create table … partition of" would lock the whole table. Where the table
-- refers to another, attaching waits for writers of that one, and they behind it: hence one partition a transaction, and
-- a short wait. Row security is forced on the partition too, with no policy: rows are reached through the table or not at all.
-- Where a table says @changes in its comment, its pages keep room for new versions of their rows: an update then touches no
-- index.
create or replace function kelpie.make_month_partition(parent_name text, month_start timestamptz) returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '300ms'
as $$
declare
  missing record;
begin
  perform pg_advisory_xact_lock(hashtextextended('kelpie.make_month_partition', 0));
  select m.parent_name, m.month_start, m.partition_name into missing
  from kelpie.missing_month_partitions(make_month_partition.month_start, 0) m
  where m.parent_name = make_month_partition.parent_name;
  if missing is null then
    return false;
  end if;
  execute format('create table kelpie.%I (like kelpie.%I including all)', missing.partition_name, missing.parent_name);
  execute format('alter table kelpie.%I enable row level security, force row level security', missing.partition_name);
  if obj_description(format('kelpie.%I', missing.parent_name)::regclass, 'pg_class') ~ '@changes\M' then
    execute format('alter table kelpie.%I set (fillfactor = 85)', missing.partition_name);
  end if;
  execute format(
    'alter table kelpie.%I attach partition kelpie.%I for values from (%L) to (%L)',
    missing.parent_name,
    missing.partition_name,
    kelpie.first_id_at(missing.month_start),
    kelpie.first_id_at((missing.month_start at time zone 'utc' + interval '1 month') at time zone 'utc')
  );
  -- Triggers on rows come with the attachment; those on whole statements do not.
  if exists (
    select from pg_trigger t
    where t.tgrelid = format('kelpie.%I', missing.parent_name)::regclass and t.tgname = 'never_emptied'
  ) then
    execute format(
      'create trigger never_emptied before truncate on kelpie.%I for each statement execute function kelpie.refuse_change()',
      missing.partition_name
    );
  end if;
  return true;
end;
$$;

comment on table kelpie.payouts is '@grows @changes @by-function One row a payout; create_payout and move_payout write it, and their siblings for many.';
do $$
declare
  month regclass;
begin
  for month in select inhrelid::regclass from pg_inherits where inhparent = 'kelpie.payouts'::regclass loop
    execute format('alter table %s set (fillfactor = 85)', month);
  end loop;
end;
$$;
