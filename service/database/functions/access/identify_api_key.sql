-- Finds the API key with this secret's digest and updates its last_used_at, at most once a minute. A rolled secret is found
--   until its overlap ends. Revoked and expired keys are not found.
-- Returns the prefix and the digest of the secret that was found, and until when it works (null: without end). Where a call
--   comes from is for the caller to check: the answer is cached, and the next call may come from elsewhere.
-- It bypasses row security, because the partner isn't known before the key is found.
-- Recording the use never delays a request. The commit doesn't wait for the standby: every request would fail while the
--   standby is down. A row that another process has locked is skipped, and so is a server that takes no writes.
-- Locks: the key's row when its use is recorded, only if it is free.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.identify_api_key(of_secret_hmac bytea, at timestamptz)
  returns table (
    id uuid, partner_id uuid, environment kelpie.environment, key_prefix text, secret_hmac bytea, scope text, networks text[],
    valid_until timestamptz
  )
  language plpgsql volatile security definer
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
  if (found_key.last_used_at is null or found_key.last_used_at < at - interval '1 minute')
    and current_setting('transaction_read_only') = 'off' then
    perform set_config('synchronous_commit', 'off', true);
    update kelpie.api_keys k set last_used_at = at
    where k.id = (select free.id from kelpie.api_keys free where free.id = found_key.id for no key update skip locked)
      and (k.last_used_at is null or k.last_used_at < at - interval '1 minute');
  end if;
  return query
    select found_key.id, found_key.partner_id, found_key.environment, found_key.used_prefix, of_secret_hmac,
      found_key.scope, found_key.networks::text[], found_key.ends_at;
end;
$$;
