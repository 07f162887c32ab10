-- Finds the API key with this secret's digest. A rolled secret is found until its overlap ends. Revoked and expired keys are
--   not found. That the key was used is recorded later, by record_uses.
-- Returns the prefix and the digest of the secret that was found, and until when it works (null: without end). Where a call
--   comes from is for the caller to check: the answer is cached, and the next call may come from elsewhere.
-- And all that the MAC of the row is over, for the caller to check.
-- It bypasses row security, because the partner isn't known before the key is found.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.identify_api_key(of_secret_hmac bytea, at timestamptz)
  returns table (
    id uuid, partner_id uuid, environment kelpie.environment, used_prefix text, used_hmac bytea, scope text, networks text[],
    valid_until timestamptz, key_prefix text, secret_hmac bytea, previous_prefix text, previous_secret_hmac bytea,
    previous_expires_at timestamptz, expires_at timestamptz, daily_limit_pence bigint, full_limit_at timestamptz, mac bytea
  )
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  found_key record;
begin
  -- Two look-ups, each by its index: joined by `or`, both would be read for every request.
  select k.*, k.key_prefix as used_prefix, k.expires_at as ends_at into found_key
  from kelpie.api_keys k where k.secret_hmac = of_secret_hmac;
  if not found then
    select k.*, k.previous_prefix as used_prefix, least(k.expires_at, k.previous_expires_at) as ends_at into found_key
    from kelpie.api_keys k where k.previous_secret_hmac = of_secret_hmac;
  end if;
  if not found or found_key.revoked_at is not null or found_key.ends_at <= at then
    return;
  end if;
  return query
    select found_key.id, found_key.partner_id, found_key.environment, found_key.used_prefix, of_secret_hmac,
      found_key.scope, found_key.networks::text[], found_key.ends_at, found_key.key_prefix, found_key.secret_hmac,
      found_key.previous_prefix, found_key.previous_secret_hmac, found_key.previous_expires_at, found_key.expires_at,
      found_key.daily_limit_pence, found_key.full_limit_at, found_key.mac;
end;
$$;
