-- Returns the key of the advisory lock that stands for a voucher. It is a digest, because pg_locks is visible to every role
-- and must not reveal the voucher itself.
-- Callers: everyone
create or replace function kelpie.lock_of_voucher(voucher bytea) returns bigint
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select ('x' || encode(substr(sha256(voucher), 1, 8), 'hex'))::bit(64)::bigint
$$;
