-- Applies later changes of payouts, of any partners: each has one or more steps, each with its state, its history row and
-- its transfer, and what follows for the lease, the activity, cases, payment blocks, known recipients, the key, emails and
-- daily limits.
--
-- Guarantees: a payout that changed since its caller read it (another revision, or another partner's) is left as it is, and
--   nothing else of its transition happens. No transition debits a wallet. A payout that ends without having been sent is
--   given back to the limits of its day, once and on that day only.
-- Returns one row per payout, by its place in the arrays: whether its transition was applied.
-- Locks: payouts, leases, keys, payment blocks, books, wallets, debts with their blocks, counters of limits, paid accounts; each
--   in the order of its key.
--
-- Arrays are columns: element n belongs to the payout at place n. Steps, cases, pauses and entries name it by its place.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.apply_transitions(
  partner_ids uuid[],
  environments kelpie.environment[],
  payout_ids uuid[],
  from_revisions integer[],
  instants timestamptz[],
  actors text[],
  -- What is known now. Null leaves what was known before.
  now_attempts integer[],
  now_bank_payment_ids text[],
  now_bank_states text[],
  now_bank_debited_micro_usdc bigint[],
  now_bank_refunded_micro_usdc bigint[],
  now_failure_codes text[],
  now_failure_reasons text[],
  -- `keep` leaves the lease, `watch` releases it until the next due time, `close` ends it.
  lease_actions text[],
  next_due_ats timestamptz[],
  activity_ids uuid[],
  activity_actions text[],
  activity_statuses integer[],
  activity_actors text[],
  -- The bank's id of the recipient that the payout names, encrypted, where it was registered just now.
  recipients_encrypted bytea[],
  -- The steps, numbered from one within each payout.
  step_places integer[],
  step_numbers integer[],
  step_states kelpie.payout_state[],
  step_whats text[],
  step_details text[],
  step_transfers uuid[],
  case_places integer[],
  case_ids uuid[],
  case_kinds text[],
  case_details text[],
  -- Payouts whose difference blocks payments, whose recipient the bank no longer knows, and whose key is free again. The
  -- version before gives reasons too; the payout itself says more.
  pause_places integer[],
  pause_reasons text[],
  forget_places integer[],
  free_places integer[],
  entry_payouts integer[],
  entry_transfers uuid[],
  entry_lines smallint[],
  entry_accounts kelpie.ledger_account[],
  entry_amounts bigint[],
  entry_reasons text[]
) returns table (place integer, is_applied boolean)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  -- Rows are found by their keys alone. A plan made while a table was small would read all of it later.
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  most_steps integer;
  first_steps integer;
  changes record;
  -- The payouts after their first step, by place.
  payouts record;
  is_done boolean[];
  -- The payouts as they were found: their places, and the state of each.
  locked record;
begin
  perform set_config('kelpie.batch', 'on', true);
  select max(step.number), count(*) filter (where step.number = 1) into most_steps, first_steps
  from unnest(step_numbers) as step (number);
  if first_steps <> cardinality(payout_ids) then
    raise exception 'a transition without a step builds on no revision' using errcode = 'check_violation';
  end if;
  if exists (
    select from unnest(entry_payouts) as entry (place)
    where (entry.place between 1 and cardinality(payout_ids)) is not true
  ) then
    raise exception 'an entry without a payout' using errcode = 'check_violation';
  end if;

  -- Joined, not compared with the whole array: so each id is looked up in its own month.
  select array_agg(l.place) as places, array_agg(l.state) as states into locked
  from (
    select item.place, p.state
    from unnest(payout_ids) with ordinality as item (id, place) join kelpie.payouts p on p.id = item.id
    order by p.id for no key update of p
  ) l;
  for nth in 1 .. most_steps loop
    with changed as (
      update kelpie.payouts p
      set state = step.state,
        revision = p.revision + 1,
        attempts = coalesce(now_attempts[step.place], p.attempts),
        bank_payment_id = coalesce(now_bank_payment_ids[step.place], p.bank_payment_id),
        bank_state = coalesce(now_bank_states[step.place], p.bank_state),
        bank_recipient_encrypted = coalesce(recipients_encrypted[step.place], p.bank_recipient_encrypted),
        bank_debited_micro_usdc = coalesce(now_bank_debited_micro_usdc[step.place], p.bank_debited_micro_usdc),
        bank_refunded_micro_usdc = coalesce(now_bank_refunded_micro_usdc[step.place], p.bank_refunded_micro_usdc),
        failure_code = case
          when step.state in ('failed', 'returned') then coalesce(now_failure_codes[step.place], p.failure_code)
        end,
        failure_reason = case
          when step.state in ('failed', 'returned') then coalesce(now_failure_reasons[step.place], p.failure_reason)
        end,
        completed_at = case
          when step.state = 'completed' and p.state <> 'completed' then instants[step.place] else p.completed_at
        end,
        -- Nothing was sent, or the bank cancelled it before it left. What was sent and came back stays counted.
        given_back_revision = case
          when p.given_back_revision is null and p.counted_on = kelpie.london_day(instants[step.place]) and (
            step.state in ('not_created', 'cancelled')
            or (step.state = 'failed' and coalesce(now_bank_payment_ids[step.place], p.bank_payment_id) is null)
          ) then p.revision + 1 else p.given_back_revision
        end,
        updated_at = instants[step.place]
      from unnest(step_places, step_numbers, step_states) as step (place, number, state)
      where step.number = nth and p.id = payout_ids[step.place] and p.partner_id = partner_ids[step.place]
        and p.environment = environments[step.place] and p.revision = from_revisions[step.place] + nth - 1
        and (nth = 1 or is_done[step.place])
      returning step.place, p.attempts, p.account_index, p.order_id
    )
    select array_agg(changed.place is not null order by item.place) as is_done,
      array_agg(changed.attempts order by item.place) as attempts,
      array_agg(changed.account_index order by item.place) as account_indexes,
      array_agg(changed.order_id order by item.place) as order_ids,
      count(changed.place) as total
    into changes
    from generate_subscripts(payout_ids, 1) as item (place)
    left join changed on changed.place = item.place;
    if nth = 1 then
      is_done := changes.is_done;
      payouts := changes;
    elsif changes.total <> (
      select count(*) from unnest(step_places, step_numbers) as step (place, number)
      where step.number = nth and is_done[step.place]
    ) then
      raise exception 'a payout changed under its own lock' using errcode = 'check_violation';
    end if;
  end loop;

  insert into kelpie.payout_history (
    payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, detail, transfer_ids
  )
  select payout_ids[step.place], from_revisions[step.place] + step.number, partner_ids[step.place],
    environments[step.place], instants[step.place], step.state, step.what, actors[step.place],
    payouts.attempts[step.place], now_bank_states[step.place], step.detail, array_remove(array[step.transfer_id], null)
  from unnest(step_places, step_numbers, step_states, step_whats, step_details, step_transfers)
    as step (place, number, state, what, detail, transfer_id)
  where is_done[step.place];

  -- What enters a state that its partner sees.
  insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at)
  select partner_ids[step.place], environments[step.place], ('payout.' || step.state)::kelpie.event_type,
    payout_ids[step.place], from_revisions[step.place] + step.number, instants[step.place]
  from (
    select s.place, s.number, s.state, lag(s.state) over (partition by s.place order by s.number) as earlier
    from unnest(step_places, step_numbers, step_states) as s (place, number, state)
  ) step
  where is_done[step.place] and kelpie.is_visible(step.state)
    and step.state <> coalesce(step.earlier, locked.states[array_position(locked.places, step.place::bigint)])
  order by step.place, step.number;

  -- As release_payout_lease: a payout that a webhook made due while it was claimed stays due.
  perform from kelpie.payout_leases o where o.payout_id = any (payout_ids) order by o.payout_id for update;
  if 'close' = any (lease_actions) then
    delete from kelpie.payout_leases o
    using unnest(payout_ids, lease_actions) with ordinality as item (id, lease_action, place)
    where o.payout_id = item.id and item.lease_action = 'close' and is_done[item.place] and o.due_at >= o.leased_until;
    update kelpie.payout_leases o set leased_until = '-infinity', claims = 0
    from unnest(payout_ids, lease_actions) with ordinality as item (id, lease_action, place)
    where o.payout_id = item.id and item.lease_action = 'close' and is_done[item.place];
  end if;
  if 'watch' = any (lease_actions) then
    insert into kelpie.payout_leases as o (payout_id, partner_id, environment, due_at, leased_until)
    select item.id, item.partner_id, item.environment, item.next_due_at, '-infinity'
    from unnest(payout_ids, partner_ids, environments, lease_actions, next_due_ats) with ordinality
      as item (id, partner_id, environment, lease_action, next_due_at, place)
    where item.lease_action = 'watch' and is_done[item.place]
    order by item.id
    on conflict (payout_id) do update
    set due_at = case when o.due_at < o.leased_until then o.due_at else excluded.due_at end,
      -- The payment that a webhook named has been looked at, unless the webhook arrived meanwhile.
      webhook_payment_id = case when o.due_at < o.leased_until then o.webhook_payment_id end,
      leased_until = '-infinity',
      claims = 0;
  end if;

  if array_remove(activity_ids, null) <> '{}' then
    insert into kelpie.activity (id, partner_id, environment, action, status, by, detail)
    select item.id, item.partner_id, item.environment, item.action, item.status, item.actor, item.payout_id::text
    from unnest(
      activity_ids, partner_ids, environments, activity_actions, activity_statuses, activity_actors, payout_ids
    ) with ordinality as item (id, partner_id, environment, action, status, actor, payout_id, place)
    where is_done[item.place] and item.id is not null;
  end if;

  -- The newest row of an account counts. One without an id says that the bank no longer knows it.
  if array_remove(recipients_encrypted, null) <> '{}' then
    insert into kelpie.known_recipients (partner_id, environment, account_index, id_encrypted, registered_at)
    select item.partner_id, item.environment, payouts.account_indexes[item.place], item.id_encrypted, item.instant
    from unnest(partner_ids, environments, recipients_encrypted, instants) with ordinality
      as item (partner_id, environment, id_encrypted, instant, place)
    where is_done[item.place] and item.id_encrypted is not null
    order by item.place;
  end if;
  if cardinality(forget_places) > 0 then
    insert into kelpie.known_recipients (partner_id, environment, account_index, id_encrypted, registered_at)
    select partner_ids[item.place], environments[item.place], payouts.account_indexes[item.place], null,
      instants[item.place]
    from unnest(forget_places) as item (place)
    cross join lateral (
      select r.id_encrypted from kelpie.known_recipients r
      where r.partner_id = partner_ids[item.place] and r.environment = environments[item.place]
        and r.account_index = payouts.account_indexes[item.place]
      order by r.environment desc, r.number desc limit 1
    ) known
    where is_done[item.place] and known.id_encrypted is not null;
  end if;

  if cardinality(free_places) > 0 then
    perform from unnest(free_places) as item (place)
    join kelpie.idempotency_keys k on k.order_id = payouts.order_ids[item.place]
    where is_done[item.place] order by k.order_id for no key update of k;
    update kelpie.idempotency_keys k set fingerprint = '' from unnest(free_places) as item (place)
    where is_done[item.place] and k.order_id = payouts.order_ids[item.place] and k.payout_id = payout_ids[item.place];
  end if;
  if cardinality(case_places) > 0 then
    insert into kelpie.cases (id, partner_id, environment, payout_id, kind, detail, opened_at)
    select item.id, partner_ids[item.place], environments[item.place], payout_ids[item.place], item.kind, item.detail,
      instants[item.place]
    from unnest(case_places, case_ids, case_kinds, case_details) as item (place, id, kind, detail)
    where is_done[item.place]
    on conflict (payout_id, kind) where closed_at is null do nothing;
  end if;

  -- What people are emailed about. A payout that only completes has none of these steps.
  if step_states && array['failed', 'returned']::kelpie.payout_state[]
    or step_whats && array['needs_attention', 'not_found_at_bank'] then
    insert into kelpie.payout_problems (payout_id, kind, partner_id, environment, at)
    select payout_ids[step.place], case when step.state in ('failed', 'returned') then step.state::text else 'stuck' end,
      partner_ids[step.place], environments[step.place], instants[step.place]
    from unnest(step_places, step_states, step_whats) as step (place, state, what)
    where is_done[step.place] and (
      -- Not what happens after the end, as the bank's refund.
      (step.state in ('failed', 'returned') and step.what not in ('refunded', 'amount_taken', 'needs_attention'))
      or (step.state in ('pending', 'processing') and step.what in ('needs_attention', 'not_found_at_bank'))
    )
    on conflict (payout_id, kind) do nothing;
  end if;

  if 'credit.payout_fees' = any (entry_reasons) then
    select entry_payouts || v.payouts, entry_transfers || v.transfers, entry_lines || v.lines, entry_accounts || v.accounts,
      entry_amounts || v.amounts, entry_reasons || v.reasons
    into entry_payouts, entry_transfers, entry_lines, entry_accounts, entry_amounts, entry_reasons
    from kelpie.void_credit_lines(
      partner_ids, payout_ids, entry_payouts, entry_transfers, entry_lines, entry_accounts, entry_amounts, entry_reasons
    ) v;
  end if;
  perform from kelpie.post_of_payouts(
    is_done, partner_ids, environments, payout_ids, entry_payouts, null, entry_transfers, entry_lines, entry_accounts,
    entry_amounts, entry_reasons, null
  ) t where not t.posted;
  if found then
    raise exception 'a transition debits no wallet' using errcode = 'check_violation';
  end if;
  -- After the wallets: a posting that makes or repays a debt writes blocks with its wallet locked.
  if cardinality(pause_places) > 0 then
    perform kelpie.block_odd_differences(array_agg(payout_ids[item.place]), max(instants[item.place]))
    from unnest(pause_places) as item (place)
    where is_done[item.place]
    having count(*) > 0;
  end if;
  if step_states && array['not_created', 'failed', 'cancelled']::kelpie.payout_state[] then
    perform kelpie.give_back_spending(payout_ids, from_revisions, is_done);
  end if;
  -- From now on these are no new payees. Without limits or approval rules, as in most sandboxes, nobody asks.
  if 'completed' = any (step_states) then
    insert into kelpie.paid_accounts (partner_id, environment, account_index)
    select distinct partner_ids[step.place], environments[step.place], payouts.account_indexes[step.place]
    from unnest(step_places, step_states) as step (place, state)
    where step.state = 'completed' and is_done[step.place] and payouts.account_indexes[step.place] is not null
      and (environments[step.place] = 'live' or exists (
        select from kelpie.spending_limits l
        where l.partner_id = partner_ids[step.place] and l.environment = environments[step.place]
      ) or exists (
        select from kelpie.approval_rules r
        where r.partner_id = partner_ids[step.place] and r.environment = environments[step.place]
      ))
    order by 1, 2, 3
    on conflict do nothing;
  end if;

  return query select item.place, is_done[item.place] from generate_subscripts(payout_ids, 1) as item (place);
end;
$$;
