-- Returns a deposit as the API shows it now, for an event. Who sent it is left out: events hold no bank details.
-- Callers: kelpie_service
create or replace function kelpie.deposit_snapshot(d kelpie.deposits) returns jsonb
  language sql stable
as $$
  select jsonb_build_object(
    'id', d.id, 'object', 'deposit', 'environment', d.environment, 'status', d.state, 'method', d.method,
    'amount_usdc', kelpie.money_text(d.net_micro_usdc / 10000), 'fee_usdc', kelpie.money_text(d.fee_micro_usdc / 10000),
    'sent_gbp', kelpie.money_text(d.sent_pence), 'gbp_per_usd', d.gbp_per_usd_millionths / 1e6,
    'reversed_usdc', kelpie.money_text(d.reversed_micro_usdc / 10000), 'sender', null,
    'created_at', kelpie.instant_text(kelpie.instant_of(d.id)), 'credited_at', kelpie.instant_text(d.credited_at),
    'updated_at', kelpie.instant_text(d.updated_at)
  )
$$;
