-- Vouches for an act that runs on another connection, until this transaction ends. See operator_login.
-- Locks: the advisory lock of the voucher, until commit.
-- Callers: everyone
create or replace function kelpie.vouch_for_act(voucher bytea) returns void
  language sql volatile
  set search_path = pg_catalog, pg_temp
as $$
  select pg_advisory_xact_lock(kelpie.lock_of_voucher(voucher))
$$;
