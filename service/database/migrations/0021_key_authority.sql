-- What an API key may do: its scope, where it works from, until when and how much it may pay; and the secret before the
-- last roll, which works until its overlap ends. A key can be rolled and revoked. What it may do is fixed when it is created.

alter table kelpie.api_keys
  add column scope text not null default 'pay',
  -- Null is anywhere.
  add column networks cidr[],
  add column expires_at timestamptz,
  add column daily_limit_pence bigint,
  -- Until then a low daily limit holds for a key that one emailed code has created. Null where there is none.
  add column full_limit_at timestamptz,
  add column previous_secret_hmac bytea,
  add column previous_prefix text,
  add column previous_expires_at timestamptz,
  -- When the admins were emailed that the key is about to expire.
  add column expiry_notified_at timestamptz,
  -- The table has no release behind it, so all of it is checked at once.
  -- squawk-ignore constraint-missing-not-valid
  add constraint api_keys_scope check (scope in ('pay', 'read')),
  -- squawk-ignore constraint-missing-not-valid
  add constraint api_keys_networks check (
    cardinality(networks) between 1 and 10 and array_position(networks, null) is null
  ),
  -- squawk-ignore constraint-missing-not-valid
  add constraint api_keys_expiry check (expires_at > created_at),
  -- squawk-ignore constraint-missing-not-valid
  add constraint api_keys_daily_limit check (
    daily_limit_pence is null or (daily_limit_pence > 0 and scope = 'pay')
  ),
  -- squawk-ignore constraint-missing-not-valid
  add constraint api_keys_full_limit check (
    full_limit_at is null or (full_limit_at > created_at and environment = 'live' and scope = 'pay')
  ),
  -- squawk-ignore constraint-missing-not-valid
  add constraint api_keys_previous check (
    num_nulls(previous_secret_hmac, previous_prefix, previous_expires_at) in (0, 3)
    and octet_length(previous_secret_hmac) = 32
    and previous_prefix ~ '^kp_(sandbox|live)_[a-f0-9]{8}$'
    -- A payout's commit tells the two secrets apart by their prefixes.
    and previous_prefix <> key_prefix
    and previous_expires_at > created_at
  );
-- squawk-ignore require-concurrent-index-creation
create unique index api_keys_by_previous_secret on kelpie.api_keys (previous_secret_hmac) where previous_secret_hmac is not null;
-- squawk-ignore require-concurrent-index-creation
create index api_keys_to_expire on kelpie.api_keys (expires_at)
  where expires_at is not null and revoked_at is null and expiry_notified_at is null;

grant update (
  key_prefix, secret_hmac, previous_secret_hmac, previous_prefix, previous_expires_at, expiry_notified_at
) on kelpie.api_keys to kelpie_service;
-- Reports have no use for the digests.
grant select (
  scope, networks, expires_at, daily_limit_pence, full_limit_at, previous_prefix, previous_expires_at, expiry_notified_at
) on kelpie.api_keys to kelpie_reader;
grant select (
  key_prefix, scope, expires_at, daily_limit_pence, full_limit_at, previous_prefix, previous_expires_at
) on kelpie.api_keys to kelpie_payouts;
