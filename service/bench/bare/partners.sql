-- The bare reference of the bench: its partners. FROZEN: never edit this file; tables.sql says why.
--
-- One active partner for each id in $1, with the API key of the same place in $2, on the simulated rail, and with more money
-- than any run can spend.
with partners as (
  insert into bare.partners (id, slug, name, status, created_at)
  select id, 'bench-' || right(id::text, 12), 'Bench', 'active', now() from unnest($1::uuid[]) as id
), environments as (
  insert into bare.partner_environments (partner_id, environment, created_at)
  select id, 'sandbox', now() from unnest($1::uuid[]) as id
), keys as (
  insert into bare.api_keys (id, partner_id, environment, key_prefix, secret_hmac, created_at)
  select key.id, key.partner_id, 'sandbox', 'kp_sandbox_' || left(md5(key.id::text), 8),
    sha256(convert_to(key.id::text, 'utf8')), now()
  from unnest($1::uuid[], $2::uuid[]) as key (partner_id, id)
)
insert into bare.wallets (partner_id, environment, balance_micro_usdc, version)
select id, 'sandbox', 1000000000000000, 1 from unnest($1::uuid[]) as id
