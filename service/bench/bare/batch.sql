-- The bare reference of the bench: what many payouts execute that are created in one call. FROZEN: never edit this file;
-- tables.sql says why.
--
-- It is the engine's own best: a statement for each table, whatever the number of payouts, and what they have in common is
-- sent once. It does for each what `create_payout` does for a new order of an API key, and nothing for any other.

set role kelpie_owner;

grant insert on bare.payout_history, bare.activity to kelpie_payouts;
grant select, insert on bare.idempotency_keys, bare.open_payouts to kelpie_payouts;
grant select on bare.rail_pauses to kelpie_payouts;

-- Element n of each array belongs to one payout. Its activity and its first transfer have its id, each in a table of its own.
create function bare.create_payouts(
  partner_ids uuid[],
  api_key_ids uuid[],
  payout_ids uuid[],
  second_transfer_ids uuid[],
  order_ids uuid[],
  new_fingerprint bytea,
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
  -- Of the first transfer, then of the second.
  lines smallint[],
  are_first boolean[],
  accounts bare.ledger_account[],
  amounts bigint[],
  reasons text[],
  activity_status integer
) returns bigint
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
declare
  size bigint := cardinality(payout_ids);
  claimed bigint;
begin
  perform set_config('bare.batch', 'on', true);
  if exists (select from bare.rail_pauses r where r.rail = on_rail) then
    raise exception 'the rail is paused' using errcode = 'KP502';
  end if;
  insert into bare.idempotency_keys (order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at)
  select item.order_id, item.partner_id, 'sandbox', item.order_id::text, item.payout_id, new_fingerprint, now()
  from unnest(order_ids, partner_ids, payout_ids, api_key_ids) as item (order_id, partner_id, payout_id, api_key_id)
  join bare.api_keys k on k.id = item.api_key_id and k.environment = 'sandbox' and k.revoked_at is null
  join bare.partners p on p.id = k.partner_id and p.id = item.partner_id and p.status = 'active'
  order by item.order_id
  on conflict (order_id) do nothing;
  get diagnostics claimed = row_count;
  if claimed <> size then
    raise exception 'an order that is not new, or not of its key' using errcode = 'check_violation';
  end if;

  if exists (
    select from (
      select array_agg(entry.transfer_id) as transfers, array_agg(entry.line) as lines,
        array_agg(entry.partner_id) as partners, array_agg('sandbox'::bare.environment) as environments,
        array_agg(entry.account) as accounts, array_agg(entry.amount) as amounts, array_agg(entry.reason) as reasons,
        array_agg(entry.payout_id) as causes
      from (
        select case when each.is_first then item.payout_id else item.second_id end as transfer_id, item.payout_id,
          item.partner_id, each.line, each.account, each.amount, each.reason
        from unnest(payout_ids, second_transfer_ids, partner_ids) with ordinality
          as item (payout_id, second_id, partner_id, place)
        cross join unnest(lines, are_first, accounts, amounts, reasons) with ordinality
          as each (line, is_first, account, amount, reason, nth)
        order by item.place, each.nth
      ) entry
    ) entries
    cross join lateral bare.post_transfers(
      entries.transfers, entries.lines, entries.partners, entries.environments, entries.accounts, entries.amounts,
      entries.reasons, entries.causes
    ) t
    where not t.posted
  ) then
    raise exception 'a wallet does not cover it' using errcode = 'KP402';
  end if;

  insert into bare.payouts (
    id, partner_id, environment, rail, state, revision, attempts, idempotency_key, order_id, bank_round, first_tried_at,
    reference, bank_reference, amount_pence, fee_pence, bank_share_pence, wallet_sends_micro_usdc, gbp_per_usd_millionths,
    price_plan, recipient_name, account_last4, recipient_sealed, account_index, created_via, created_by, bank_payment_id,
    bank_state, bank_took_micro_usdc, updated_at
  )
  select item.payout_id, item.partner_id, 'sandbox', on_rail, first_state, 1, 1, item.order_id::text, item.order_id, 1, now(),
    new_reference, new_bank_reference, new_amount_pence, new_fee_pence, new_bank_share_pence, new_wallet_sends_micro_usdc,
    new_gbp_per_usd_millionths, new_price_plan, new_recipient_name, new_account_last4, new_recipient_sealed,
    new_account_index, new_created_via, new_created_by, new_bank_payment_id, new_bank_state, new_bank_took_micro_usdc, now()
  from unnest(payout_ids, partner_ids, order_ids) as item (payout_id, partner_id, order_id);
  insert into bare.payout_history (
    payout_id, number, partner_id, environment, at, state, what, by, attempt, bank_state, transfer_ids
  )
  select item.payout_id, 1, item.partner_id, 'sandbox', now(), first_state, 'created', new_created_by, 1, new_bank_state,
    array[item.payout_id, item.second_id]
  from unnest(payout_ids, partner_ids, second_transfer_ids) as item (payout_id, partner_id, second_id);
  insert into bare.open_payouts (payout_id, partner_id, environment, due_at, leased_until)
  select item.payout_id, item.partner_id, 'sandbox', now() + interval '3 seconds', now()
  from unnest(payout_ids, partner_ids) as item (payout_id, partner_id);
  insert into bare.activity (id, partner_id, environment, action, status, by, detail)
  select item.payout_id, item.partner_id, 'sandbox', 'payout.create', activity_status, new_created_by, item.payout_id::text
  from unnest(payout_ids, partner_ids) as item (payout_id, partner_id);
  return size;
end;
$$;

reset role;

alter function bare.create_payouts owner to kelpie_payouts;
