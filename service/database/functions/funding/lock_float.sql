-- Lets one transaction at a time begin a move of an environment's float.
-- Returns what has been topped up since an instant, or is on its way, in micro-USDC: for the limit of a day.
-- Locks: the float of the environment, until commit.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.lock_float(of_environment kelpie.environment, since timestamptz) returns bigint
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('kelpie.float ' || of_environment, 0));
  return (
    select coalesce(sum(m.amount_micro_usdc), 0) from kelpie.float_moves m
    where m.environment = of_environment and m.created_at > since and m.kind = 'top_up' and m.state <> 'failed'
  );
end;
$$;
