-- Payouts as they were at a number of their history, each of the partner that is named with it. What was ordered never changes; a
-- failure is known from the state that it ended in, which is the last or the one before a return.
-- Returns one row for each that was found, with its place in the arrays.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.retrieve_versions(
  partner_ids uuid[], environments kelpie.environment[], payout_ids uuid[], versions integer[]
) returns table (place bigint, payout kelpie.payout_resource)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  return query
    select item.place, (
      p.id, h.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_debit_micro_usdc,
      p.recipient_name, p.account_last4, case when h.state = p.state then p.failure_code end,
      case when h.state = p.state then p.failure_reason end, h.at, p.created_via, p.idempotency_key, p.duplicate_suspected
    )::kelpie.payout_resource
    from unnest(partner_ids, environments, payout_ids, versions) with ordinality
      as item (partner_id, environment, id, version, place)
    join kelpie.payouts p on p.id = item.id and p.partner_id = item.partner_id and p.environment = item.environment
    join kelpie.payout_history h on h.payout_id = item.id and h.number = item.version;
end;
$$;
