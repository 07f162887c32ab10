-- Deletes up to `most` rate-limit buckets that are full again, 10,000 at most. Returns how many.
-- A deleted bucket loses nothing: the next lease creates it full.
-- Locks: the buckets it deletes. It skips buckets that are locked, so it can't deadlock with a lease.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.sweep_rate_buckets(most integer) returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  swept integer;
begin
  delete from kelpie.rate_buckets b
  where b.subject in (
    select idle.subject from kelpie.rate_buckets idle
    where idle.tokens + idle.per_second * extract(epoch from clock_timestamp() - idle.filled_at)::double precision >= idle.burst
    limit least(most, 10000)
    for update skip locked
  );
  get diagnostics swept = row_count;
  return swept;
end;
$$;
