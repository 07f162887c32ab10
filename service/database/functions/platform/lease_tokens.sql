-- Takes up to `wanted` whole tokens from each rate-limit bucket. A bucket that doesn't exist is created and starts full.
-- Each subject may appear only once per call.
-- It uses the database's clock, although time is an argument elsewhere: processes that share a bucket must share a clock.
-- The commit doesn't wait for the standby: the table is unlogged, and limits must hold while the standby is down.
-- It bypasses row security, to read the rate factor of each key's partner.
-- Locks: buckets in subject order.
-- Returns one row per subject, in no fixed order. `place` is its position in the input, `factor` what its limits were
--   multiplied by.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.lease_tokens(
  subjects text[],
  key_ids uuid[],
  wanted integer[],
  per_second double precision[],
  bursts integer[]
) returns table (place integer, granted integer, tokens_left double precision, factor integer)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  -- Always use the primary key: a plan cached while the table was small would scan all of it.
  set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
  with asked as (
    select a.place::integer as place, a.subject, coalesce(p.rate_factor, 1) as factor, a.wanted,
      a.per_second * coalesce(p.rate_factor, 1) as per_second, a.burst * coalesce(p.rate_factor, 1) as burst
    from unnest(subjects, key_ids, wanted, per_second, bursts) with ordinality
      as a (subject, key_id, wanted, per_second, burst, place)
    left join kelpie.api_keys k on k.id = a.key_id
    left join kelpie.partners p on p.id = k.partner_id
  ), leased as (
    insert into kelpie.rate_buckets as b (subject, tokens, filled_at, last_grant, per_second, burst)
    select a.subject, a.burst - least(a.wanted, a.burst), clock_timestamp(), least(a.wanted, a.burst), a.per_second, a.burst
    from asked a
    -- Lock in subject order: two leases of the same buckets would deadlock otherwise.
    order by a.subject
    on conflict (subject) do update
    set (tokens, last_grant, filled_at, per_second, burst) = (
      select filled.tokens - least(floor(filled.tokens), excluded.last_grant),
        least(floor(filled.tokens), excluded.last_grant)::integer, clock.at, excluded.per_second, excluded.burst
      -- Read the clock once the row is locked: an older instant would move filled_at back and refill the same time twice.
      from (select clock_timestamp() as at) as clock
      cross join lateral (
        -- If the clock was set back, add nothing and continue from the new time.
        select least(
          excluded.burst,
          b.tokens + excluded.per_second * greatest(extract(epoch from clock.at - b.filled_at)::double precision, 0)
        ) as tokens
      ) as filled
    )
    returning b.subject, b.last_grant, b.tokens
  )
  select a.place, l.last_grant, l.tokens, a.factor
  from asked a join leased l on l.subject = a.subject;
end;
$$;
