-- Finds the API key with this digest and updates its last_used_at, at most once a minute.
-- It bypasses row security, because the partner isn't known before the key is found. Revoked keys are not found.
-- Recording the use never delays a request. The commit doesn't wait for the standby: every request would fail while the
--   standby is down. A row that another process has locked is skipped.
-- Locks: the key's row when its use is recorded, only if it is free.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.find_api_key(of_secret_hmac bytea, at timestamptz)
  returns table (id uuid, partner_id uuid, environment kelpie.environment, key_prefix text, secret_hmac bytea)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  found_key record;
begin
  select * into found_key from kelpie.api_keys k where k.secret_hmac = of_secret_hmac and k.revoked_at is null;
  if not found then
    return;
  end if;
  if found_key.last_used_at is null or found_key.last_used_at < at - interval '1 minute' then
    perform set_config('synchronous_commit', 'off', true);
    update kelpie.api_keys k set last_used_at = at
    where k.id = (select free.id from kelpie.api_keys free where free.id = found_key.id for no key update skip locked)
      and (k.last_used_at is null or k.last_used_at < at - interval '1 minute');
  end if;
  return query
    select found_key.id, found_key.partner_id, found_key.environment, found_key.key_prefix, found_key.secret_hmac;
end;
$$;
