-- Payouts by their ids, each as its own partner sees it. Another partner's payout is not found.
-- Returns one row for each that was found, with its place in the arrays.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.retrieve_payouts(partner_ids uuid[], environments kelpie.environment[], payout_ids uuid[])
  returns table (place bigint, payout kelpie.payout_resource)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  return query
    select item.place, (
      p.id, p.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_debit_micro_usdc,
      p.recipient_name, p.account_last4, p.failure_code, p.failure_reason, p.updated_at, p.created_via,
      p.idempotency_key, p.duplicate_suspected
    )::kelpie.payout_resource
    from unnest(partner_ids, environments, payout_ids) with ordinality as item (partner_id, environment, id, place)
    join kelpie.visible_payouts p
      on p.id = item.id and p.partner_id = item.partner_id and p.environment = item.environment;
end;
$$;
