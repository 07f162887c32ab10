-- Payouts by their ids, each as its own partner sees it. Another partner's payout is not found.
-- Returns one row for each that was found, with its place in the arrays. The payout is null where the caller knows it as it
-- is: it has the revision that it names, of that instant. An erasure raises no revision, so the instant is that of the erasure
-- from then on: nobody shows from memory what is erased.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.retrieve_changed_payouts(
  partner_ids uuid[],
  environments kelpie.environment[],
  payout_ids uuid[],
  -- Null where the caller knows nothing of the payout.
  known_revisions integer[],
  known_instants timestamptz[]
) returns table (place bigint, revision integer, updated_at timestamptz, payout kelpie.payout_resource)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  return query
    select item.place, p.revision, coalesce(p.erased_at, p.updated_at),
      case when item.revision is distinct from p.revision or item.instant is distinct from coalesce(p.erased_at, p.updated_at) then (
        p.id, p.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_debit_micro_usdc,
        p.recipient_name, p.account_last4, p.failure_code, p.failure_reason, p.updated_at, p.created_via,
        p.idempotency_key, p.duplicate_suspected
      )::kelpie.payout_resource end
    from unnest(partner_ids, environments, payout_ids, known_revisions, known_instants) with ordinality
      as item (partner_id, environment, id, revision, instant, place)
    join kelpie.visible_payouts p
      on p.id = item.id and p.partner_id = item.partner_id and p.environment = item.environment;
end;
$$;
