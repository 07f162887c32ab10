-- For processes of the version before, which know of no scope and no networks: a key that has either is not found, so that
-- it is never worth more there than it may be. See kelpie.identify_api_key.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.find_api_key(of_secret_hmac bytea, at timestamptz)
  returns table (id uuid, partner_id uuid, environment kelpie.environment, key_prefix text, secret_hmac bytea)
  language sql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
  select k.id, k.partner_id, k.environment, k.used_prefix, k.used_hmac
  from kelpie.identify_api_key(of_secret_hmac, at) k
  where k.scope = 'pay' and k.networks is null
$$;
