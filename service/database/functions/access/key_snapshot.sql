-- Returns an API key as the API shows it at an instant, for an event: what has passed by then is not shown. No secret is in it.
-- Callers: kelpie_service
create or replace function kelpie.key_snapshot(k kelpie.api_keys, at timestamptz) returns jsonb
  language sql stable
as $$
  select jsonb_build_object(
    'id', k.id, 'environment', k.environment, 'key_prefix', k.key_prefix, 'label', k.label, 'scope', k.scope,
    'networks', coalesce(to_jsonb(k.networks::text[]), '[]'), 'expires_at', kelpie.instant_text(k.expires_at),
    'daily_limit_gbp', kelpie.money_text(k.daily_limit_pence),
    'full_limit_at', case when k.full_limit_at > at then kelpie.instant_text(k.full_limit_at) end,
    'previous_key_prefix', case when k.previous_expires_at > at then k.previous_prefix end,
    'previous_expires_at', case when k.previous_expires_at > at then kelpie.instant_text(k.previous_expires_at) end,
    'created_at', kelpie.instant_text(k.created_at), 'last_used_at', kelpie.instant_text(k.last_used_at),
    'revoked_at', kelpie.instant_text(k.revoked_at)
  )
$$;
