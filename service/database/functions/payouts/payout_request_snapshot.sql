-- Returns a payout request as the API shows it now, for an event.
-- Callers: kelpie_service, kelpie_payouts
create or replace function kelpie.payout_request_snapshot(r kelpie.payout_requests) returns jsonb
  language sql stable
as $$
  select jsonb_build_object(
    'id', r.id, 'object', 'payout_request', 'environment', r.environment, 'status', r.state,
    'idempotency_key', r.idempotency_key, 'amount_gbp', kelpie.money_text(r.amount_pence), 'reference', r.reference,
    'recipient', jsonb_build_object('name', r.recipient_name, 'account_last4', r.account_last4),
    'reasons', r.reasons, 'requested_via', r.requested_via, 'requested_by', r.requested_by,
    'created_at', kelpie.instant_text(kelpie.instant_of(r.id)), 'expires_at', kelpie.instant_text(r.expires_at),
    'decided_at', kelpie.instant_text(r.decided_at),
    'decided_by', case when r.state = 'approved' then r.approved_by else r.declined_by end, 'payout_id', r.payout_id
  )
$$;
