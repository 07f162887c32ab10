-- Creates payouts, of any partners: claims the idempotency key, places the hold, and writes the payout, its history, its
-- lease and its activity. One payout is a batch of one.
--
-- Guarantees: an order id stands for one payout; a caller pays from its own partner's wallet only; a wallet never goes
--   below zero, no daily limit is passed, and payouts of one wallet are granted in order of arrival; the hold is what the
--   payout says its wallet sends; a refused payout leaves nothing behind.
-- Returns one row per payout, by its place in the arrays. The outcome is `created`, or why not:
--   unauthorized         the key, its secret or the session may not pay for this partner and environment, or no longer
--   taken                the order id has a payout already, or had an attempt: kelpie.resolve_used_order says which
--   partner_not_active, rail_paused, recovery   from kelpie.payment_block
--   not_confirmed        the emailed code does not confirm this order; the wrong guess was counted
--   approval_required    a second admin has to approve it, or did not in time; its code was neither judged nor used
--   limit_exceeded       with the daily limit that has the least left, and what was left when its turn came
--   insufficient_funds   with what the wallet held when its turn came
-- Locks: new keys, retried keys, payout requests, confirmations, wallets, counters of limits; each in the order of its key, so that two
--   batches never deadlock.
--
-- Arrays are columns: element n of each belongs to the payout at place n. Each payout has another order id.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.create_payouts(
  partner_ids uuid[],
  environments kelpie.environment[],
  -- The API key that pays, or the session of a person; the other is null.
  api_key_ids uuid[],
  session_ids uuid[],
  payout_ids uuid[],
  order_ids uuid[],
  keys text[],
  fingerprints bytea[],
  instants timestamptz[],
  bank_rounds integer[],
  first_tried_ats timestamptz[],
  rails kelpie.rail[],
  first_states kelpie.payout_state[],
  references_given text[],
  bank_references text[],
  amounts_pence bigint[],
  fees_pence bigint[],
  provider_fees_pence bigint[],
  wallet_debits_micro_usdc bigint[],
  gbp_per_usd_millionths bigint[],
  price_plans text[],
  recipient_names text[],
  accounts_last4 text[],
  recipients_encrypted bytea[],
  account_indexes bytea[],
  -- The bank's id of the recipient, encrypted, where a payment already names it. Null takes the one known for the account.
  bank_recipients_encrypted bytea[],
  created_vias text[],
  created_bys text[],
  bank_payment_ids text[],
  bank_states text[],
  bank_debited_micro_usdc bigint[],
  failure_codes text[],
  failure_reasons text[],
  leased_untils timestamptz[],
  due_ats timestamptz[],
  activity_ids uuid[],
  activity_statuses integer[],
  -- By which equal payouts are found, and from which id on one under another key makes each suspected of being its duplicate.
  equal_hashes bigint[],
  equal_since_ids uuid[],
  -- The transfers of each payout, as the text of an array.
  transfer_lists text[],
  -- Payouts that are equal to an earlier one of the batch, and the last such one. In order.
  repeat_places integer[],
  repeated_places integer[],
  -- Payouts that take over the key of an attempt of which nothing was sent: that attempt, as resolve_used_order saw it.
  retry_places integer[],
  retried_payouts uuid[],
  retried_revisions integer[],
  -- Payouts that a person confirms by an emailed code.
  confirmation_places integer[],
  confirmation_orders bytea[],
  confirmation_emails bytea[],
  confirmation_codes bytea[],
  -- The entries of the transfers, each with the place of its payout, and whether its transfer is the payout's first.
  entry_payouts integer[],
  entry_firsts boolean[],
  entry_transfers uuid[],
  entry_lines smallint[],
  entry_accounts kelpie.ledger_account[],
  entry_amounts bigint[],
  entry_reasons text[]
) returns table (
  place bigint, outcome text, available_micro_usdc bigint, exceeded_limit text, limit_pence bigint, left_pence bigint,
  bank_recipient_encrypted bytea, duplicate_suspected boolean
)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  -- Rows are found by their keys alone. A plan made while a table was small would read all of it later.
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  is_placed boolean;
  -- What the first transfer of each payout debits its wallet by.
  holds bigint[];
  outcomes text[];
  is_claimed boolean[];
  -- Whether one of them may have a daily limit. Sandbox has none unless one was set.
  is_limited boolean;
  -- Whether one of them may need a second admin.
  has_rules boolean;
  judged record;
  -- The limit that each refused payout passes, its size and what was left of it.
  exceeded text[];
  exceeded_limits bigint[];
  exceeded_lefts bigint[];
  -- What each payout counts toward, where it has limits.
  counted_days date[];
  counted_payees boolean[];
  is_granted boolean[];
  refused_transfers uuid[];
  balances bigint[];
  available bigint[];
  -- The recipient at the bank that each payout names, as far as it is known.
  recipients bytea[];
  suspected boolean[];
begin
  perform set_config('kelpie.batch', 'on', true);
  select bool_and((entry.place between 1 and cardinality(payout_ids) and entry.is_first is not null) is true),
    array_agg(entry.amount order by entry.place) filter (where entry.is_first and entry.account = 'wallet')
  into is_placed, holds
  from unnest(entry_payouts, entry_firsts, entry_accounts, entry_amounts) as entry (place, is_first, account, amount);
  if is_placed is not true then
    raise exception 'an entry without a payout' using errcode = 'check_violation';
  end if;
  if holds is distinct from wallet_debits_micro_usdc then
    raise exception 'a hold that is not what its payout debits' using errcode = 'check_violation';
  end if;

  -- New orders of API keys, in one step. A second caller with the same key waits here until the first has committed.
  with asked as (
    select item.order_id, item.partner_id, item.environment, item.key, item.payout_id, item.fingerprint, item.instant,
      item.environment = 'live' or c.daily_limit_pence is not null or exists (
        select from kelpie.spending_limits l where l.partner_id = item.partner_id and l.environment = item.environment
      ) as is_limited,
      exists (
        select from kelpie.approval_rules r where r.partner_id = item.partner_id and r.environment = item.environment
      ) as has_rules
    from unnest(
      order_ids, partner_ids, environments, keys, payout_ids, fingerprints, instants, api_key_ids, created_vias, created_bys,
      rails
    ) with ordinality as item (
      order_id, partner_id, environment, key, payout_id, fingerprint, instant, api_key_id, via, created_by, rail, place
    )
    cross join lateral kelpie.paying_key(
      item.api_key_id, item.partner_id, item.environment, item.created_by, item.instant
    ) c
    cross join lateral kelpie.payment_block(c.partner_status, item.partner_id, item.environment, item.rail) b
    where item.via = 'api' and item.place <> all (retry_places) and b.outcome is null
  ), claimed as (
    insert into kelpie.idempotency_keys as k (
      order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at, claimed_at
    )
    select a.order_id, a.partner_id, a.environment, a.key, a.payout_id, a.fingerprint, a.instant, a.instant
    from asked a
    order by a.order_id
    on conflict (order_id) do nothing
    returning k.payout_id
  )
  select array_agg(claimed.payout_id is not null order by item.place), (select bool_or(a.is_limited) from asked a),
    (select bool_or(a.has_rules) from asked a)
  into is_claimed, is_limited, has_rules
  from unnest(payout_ids) with ordinality as item (payout_id, place)
  left join claimed on claimed.payout_id = item.payout_id;

  if not (true = all (is_claimed)) then
    select r.outcomes, r.is_claimed into outcomes, is_claimed
    from kelpie.claim_others(
      is_claimed, partner_ids, environments,
      (
        select array_agg(coalesce(c.api_key_id, c.session_id) order by c.place)
        from unnest(api_key_ids, session_ids) with ordinality as c (api_key_id, session_id, place)
      ),
      payout_ids, order_ids, keys, fingerprints, instants, created_vias,
      created_bys, rails, retry_places, retried_payouts, retried_revisions, confirmation_places
    ) r;
    -- These were not asked about their limits above.
    is_limited := is_limited or cardinality(retry_places) > 0 or 'dashboard' = any (created_vias);
    -- Nor about their rules: check_approvals looks for itself.
    has_rules := true;
  end if;
  if has_rules then
    select c.outcomes, c.is_claimed into outcomes, is_claimed
    from kelpie.check_approvals(
      outcomes, is_claimed, partner_ids, environments, api_key_ids, payout_ids, order_ids, fingerprints, instants,
      amounts_pence, account_indexes
    ) c;
  end if;
  if cardinality(confirmation_places) > 0 then
    select c.outcomes, c.is_claimed into outcomes, is_claimed
    from kelpie.check_confirmations(
      outcomes, is_claimed, partner_ids, session_ids, order_ids, payout_ids, instants, confirmation_places,
      confirmation_orders, confirmation_emails, confirmation_codes
    ) c;
  end if;

  if is_limited then
    select j.* into judged from kelpie.judge_limits(
      is_claimed, partner_ids, environments, api_key_ids, instants, amounts_pence, wallet_debits_micro_usdc, account_indexes
    ) j;
    is_granted := judged.is_wanted;
    available := judged.available;
    exceeded := judged.exceeded;
    exceeded_limits := judged.limits_pence;
    exceeded_lefts := judged.left_pence;
  else
    is_granted := is_claimed;
  end if;

  -- The holds decide: nothing that follows from a hold is posted where it was refused.
  select array_agg(t.transfer_id), array_agg(t.wallet_balance) into refused_transfers, balances
  from kelpie.post_of_payouts(
    is_granted, partner_ids, environments, payout_ids, entry_payouts, entry_firsts, entry_transfers, entry_lines,
    entry_accounts, entry_amounts, entry_reasons, null
  ) t
  where not t.posted;
  if refused_transfers is not null then
    select array_agg(is_granted[item.place] and refused.balance is null order by item.place),
      array_agg(refused.balance order by item.place)
    into is_granted, available
    from generate_subscripts(payout_ids, 1) as item (place)
    left join (
      select entry.place, min(t.balance) as balance
      from unnest(refused_transfers, balances) as t (transfer_id, balance)
      join unnest(entry_payouts, entry_firsts, entry_transfers) as entry (place, is_first, transfer_id)
        on entry.transfer_id = t.transfer_id
      where entry.is_first
      group by entry.place
    ) refused on refused.place = item.place;
    if exists (
      select from unnest(entry_payouts, entry_transfers) as entry (place, transfer_id)
      where entry.transfer_id = any (refused_transfers) and is_granted[entry.place]
    ) then
      raise exception 'only the hold of a new payout debits the wallet' using errcode = 'check_violation';
    end if;
  end if;
  if is_granted <> is_claimed then
    -- A retried key still stands for its earlier attempt, and stays.
    delete from kelpie.idempotency_keys k
    using unnest(order_ids, payout_ids) with ordinality as item (order_id, payout_id, place)
    where k.order_id = item.order_id and k.payout_id = item.payout_id
      and is_claimed[item.place] and not is_granted[item.place];
  end if;

  if is_limited then
    select c.days, c.is_new_payee into counted_days, counted_payees from kelpie.count_spending(
      is_granted, partner_ids, environments, first_states, amounts_pence, judged.by_places, judged.by_days, judged.by_kinds,
      judged.by_subjects, judged.by_limits
    ) c;
  end if;

  recipients := bank_recipients_encrypted;
  if 'sending' = any (first_states) then
    select array_agg(coalesce(item.named, known.id_encrypted) order by item.place) into recipients
    from unnest(partner_ids, environments, account_indexes, first_states, bank_recipients_encrypted) with ordinality
      as item (partner_id, environment, account_index, state, named, place)
    left join lateral (
      select r.id_encrypted from kelpie.known_recipients r
      where item.state = 'sending' and r.partner_id = item.partner_id and r.environment = item.environment
        and r.account_index = item.account_index
      order by r.environment desc, r.number desc limit 1
    ) known on true;
  end if;

  -- The payouts of a batch are of one moment.
  suspected := kelpie.suspect_duplicates(
    partner_ids, environments, order_ids, account_indexes, amounts_pence, equal_hashes, equal_since_ids[1]
  );
  for nth in 1 .. cardinality(repeat_places) loop
    suspected[repeat_places[nth]] := suspected[repeat_places[nth]] or suspected[repeated_places[nth]]
      or (is_granted[repeated_places[nth]] and first_states[repeated_places[nth]] <> 'failed');
  end loop;

  insert into kelpie.payouts (
    id, partner_id, environment, rail, state, revision, attempts, idempotency_key, order_id, bank_round, first_tried_at,
    reference, bank_reference, amount_pence, fee_pence, provider_fee_pence, wallet_debit_micro_usdc, gbp_per_usd_millionths,
    price_plan, recipient_name, account_last4, recipient_encrypted, account_index, bank_recipient_encrypted, created_via,
    created_by, bank_payment_id, bank_state, bank_debited_micro_usdc, failure_code, failure_reason, updated_at, api_key_id,
    counted_on, counted_new_payee, duplicate_suspected, equal_hash
  )
  select item.id, item.partner_id, item.environment, item.rail, item.state, 1, 1, item.key, item.order_id, item.bank_round,
    item.first_tried_at, item.reference, item.bank_reference, item.amount, item.fee, item.provider_fee, item.wallet_debit,
    item.rate, item.price_plan, item.recipient_name, item.last4, item.encrypted, item.account_index, recipients[item.place], item.via,
    item.created_by, item.bank_payment_id, item.bank_state, item.took, item.failure_code, item.failure_reason, item.instant,
    item.api_key_id, counted_days[item.place], coalesce(counted_payees[item.place], false), suspected[item.place],
    item.equal_hash
  from unnest(
    payout_ids, partner_ids, environments, rails, first_states, keys, order_ids, bank_rounds, first_tried_ats, instants,
    references_given, bank_references, amounts_pence, fees_pence, provider_fees_pence, wallet_debits_micro_usdc,
    gbp_per_usd_millionths, price_plans, recipient_names, accounts_last4, recipients_encrypted, account_indexes, created_vias,
    created_bys, bank_payment_ids, bank_states, bank_debited_micro_usdc, failure_codes, failure_reasons, api_key_ids,
    equal_hashes
  ) with ordinality as item (
    id, partner_id, environment, rail, state, key, order_id, bank_round, first_tried_at, instant, reference,
    bank_reference, amount, fee, provider_fee, wallet_debit, rate, price_plan, recipient_name, last4, encrypted, account_index,
    via, created_by, bank_payment_id, bank_state, took, failure_code, failure_reason, api_key_id, equal_hash, place
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

  -- While the bank is asked, there is nothing to tell.
  if first_states <> array_fill('sending'::kelpie.payout_state, array[cardinality(payout_ids)]) then
    insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at)
    select item.partner_id, item.environment, ('payout.' || item.state)::kelpie.event_type, item.id, 1, item.instant
    from unnest(payout_ids, partner_ids, environments, instants, first_states) with ordinality
      as item (id, partner_id, environment, instant, state, place)
    where is_granted[item.place] and kelpie.is_visible(item.state)
    order by item.place;
  end if;

  insert into kelpie.payout_leases (payout_id, partner_id, environment, due_at, leased_until)
  select item.id, item.partner_id, item.environment, item.due_at, item.leased_until
  from unnest(payout_ids, partner_ids, environments, due_ats, leased_untils) with ordinality
    as item (id, partner_id, environment, due_at, leased_until, place)
  where is_granted[item.place] and item.due_at is not null;

  insert into kelpie.activity (id, partner_id, environment, action, status, by, detail)
  select item.id, item.partner_id, item.environment, 'payout.create', item.status, item.created_by, item.payout_id::text
  from unnest(activity_ids, partner_ids, environments, activity_statuses, created_bys, payout_ids) with ordinality
    as item (id, partner_id, environment, status, created_by, payout_id, place)
  where is_granted[item.place] and item.id is not null;

  if cardinality(retry_places) > 0 then
    update kelpie.idempotency_keys k
    set payout_id = payout_ids[retry.place], fingerprint = fingerprints[retry.place],
      bank_round = bank_rounds[retry.place], round_began_at = first_tried_ats[retry.place]
    from unnest(retry_places) as retry (place)
    where is_granted[retry.place] and k.order_id = order_ids[retry.place];
  end if;
  if has_rules then
    perform kelpie.settle_requests(is_granted, order_ids, payout_ids, instants);
  end if;
  if cardinality(confirmation_places) > 0 then
    perform kelpie.use_confirmation(
      partner_ids[code.place], session_ids[code.place], code.order_hmac, code.email_hmac, instants[code.place]
    )
    from unnest(confirmation_places, confirmation_orders, confirmation_emails) as code (place, order_hmac, email_hmac)
    where is_granted[code.place];
  end if;

  return query
    select item.place::bigint,
      case
        when is_granted[item.place] then 'created'
        when exceeded[item.place] is not null then 'limit_exceeded'
        when is_claimed[item.place] then 'insufficient_funds'
        else outcomes[item.place]
      end,
      available[item.place],
      exceeded[item.place],
      exceeded_limits[item.place],
      exceeded_lefts[item.place],
      recipients[item.place],
      suspected[item.place]
    from generate_subscripts(payout_ids, 1) as item (place);
end;
$$;
