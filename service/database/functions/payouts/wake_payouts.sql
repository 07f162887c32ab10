-- Wakes payouts after webhooks, so that a worker asks the bank about them next. A webhook names only the order, so it
-- bypasses row security to find the partner. Several webhooks about one payout count as the last of them.
-- Guarantees: a payout that a worker has leased stays due, and is claimed again after its release. A webhook that only
--   says that the payment is under way is ignored when the payout is processing and the amount debited is known.
-- Returns one row per webhook, by its place in the arrays: whether its order is known.
-- Locks: the lease rows of the payouts, in the order of their ids, as apply_transitions does.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.wake_payouts(
  environments kelpie.environment[], order_ids uuid[], payment_ids text[], instants timestamptz[], are_under_way boolean[]
) returns table (place integer, is_known boolean)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  -- Rows are found by their keys alone. A plan made while a table was small would read all of it later.
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  insert into kelpie.payout_leases as o (payout_id, partner_id, environment, due_at, leased_until, webhook_payment_id)
  select distinct on (k.payout_id) k.payout_id, k.partner_id, k.environment, item.instant, '-infinity'::timestamptz,
    item.payment_id
  from unnest(environments, order_ids, payment_ids, instants, are_under_way) with ordinality
    as item (environment, order_id, payment_id, instant, is_under_way, place)
  join kelpie.idempotency_keys k on k.order_id = item.order_id and k.environment = item.environment
  where not (item.is_under_way and exists (
    select from kelpie.payouts p
    where p.id = k.payout_id and p.state = 'processing' and p.bank_payment_id = item.payment_id
      and p.bank_debited_micro_usdc is not null
  ))
  order by k.payout_id, item.place desc
  on conflict (payout_id) do update
  set due_at = least(o.due_at, excluded.due_at), webhook_payment_id = excluded.webhook_payment_id;

  return query
    select item.place::integer, k.order_id is not null
    from unnest(environments, order_ids) with ordinality as item (environment, order_id, place)
    left join kelpie.idempotency_keys k on k.order_id = item.order_id and k.environment = item.environment;
end;
$$;
