-- Payouts of a partner as they were at a number of their history, by place. What was ordered never changes; a failure is known
-- from the state that it ended in, which is the last or the one before a return.
-- Callers: everyone
create or replace function kelpie.list_versions(
  of_partner uuid, of_environment kelpie.environment, payout_ids uuid[], versions integer[]
) returns table (place bigint, payout kelpie.payout_resource)
  language plpgsql volatile
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select item.place, (
      p.id, h.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_debit_micro_usdc,
      p.recipient_name, p.account_last4, case when h.state = p.state then p.failure_code end,
      case when h.state = p.state then p.failure_reason end, h.at, p.created_via, p.idempotency_key, p.duplicate_suspected
    )::kelpie.payout_resource
    from unnest(payout_ids, versions) with ordinality as item (id, version, place)
    join kelpie.payouts p on p.id = item.id
    join kelpie.payout_history h on h.payout_id = item.id and h.number = item.version;
end;
$$;
