-- Rate limits that all api processes share. A bucket of tokens stands here for each key and each address; a process takes
-- small lots from it and spends them in its own memory, so that a request as a rule writes nothing.

-- By how much an operator has raised the limits of a partner.
alter table kelpie.partners add column rate_factor integer not null default 1 -- squawk-ignore prefer-bigint-over-int
  constraint rate_factor_in_range check (rate_factor between 1 and 1000);

-- Not logged: a commit that writes nothing else waits for no disk and no standby. After a crash, or on a standby that takes
-- over, the table is empty, and every bucket full.
create unlogged table kelpie.rate_buckets (
  subject text primary key check (char_length(subject) between 1 and 100),
  -- What was left at filled_at. It grows by per_second up to burst, which is reckoned when it is next looked at.
  tokens double precision not null check (tokens >= 0),
  filled_at timestamptz not null,
  last_grant integer not null check (last_grant >= 0), -- squawk-ignore prefer-bigint-over-int
  per_second double precision not null check (per_second > 0),
  burst integer not null check (burst > 0) -- squawk-ignore prefer-bigint-over-int
  -- Room on each page, since a row is written many times a second and its key never changes.
) with (fillfactor = 40);
comment on table kelpie.rate_buckets is
  '@bounded @shared One row for each key or address that asked of late: a full bucket says no more than none, and is swept.';

grant select (id, rate_factor) on kelpie.partners to kelpie_access;
grant select, insert, update, delete on kelpie.rate_buckets to kelpie_access;
grant create on schema kelpie to kelpie_access;

-- Takes up to `wanted` whole tokens from each bucket, and says by place how many it gave, what is left, and by how much the
-- limits of the key's partner are raised. A subject stands in it once. It looks past row security for that one number:
-- whose rows to look at is not the question of a limit.
--
-- The time is the database's own, though elsewhere it is passed in: the processes that share a bucket must share a clock.
-- It is read once a row is locked, since whoever waited for the lock would otherwise fill the bucket as of before.
create function kelpie.lease_tokens(
  subjects text[],
  key_ids uuid[],
  wanted integer[],
  per_second double precision[],
  bursts integer[]
) returns table (place integer, granted integer, tokens_left double precision, factor integer)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  -- Buckets are found by their keys, also on a connection that first saw few of them.
  set enable_seqscan = off
as $$
#variable_conflict use_column
begin
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
    -- Lock in the order of the key: two leases of the same buckets would deadlock otherwise.
    order by a.subject
    on conflict (subject) do update
    set (tokens, last_grant, filled_at, per_second, burst) = (
      select filled.tokens - least(floor(filled.tokens), excluded.last_grant),
        least(floor(filled.tokens), excluded.last_grant)::integer, clock.at, excluded.per_second, excluded.burst
      from (select clock_timestamp() as at) as clock
      cross join lateral (
        -- A clock that was set back gives nothing, and goes on from there.
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
revoke all on function kelpie.lease_tokens(text[], uuid[], integer[], double precision[], integer[]) from public;
grant execute on function kelpie.lease_tokens(text[], uuid[], integer[], double precision[], integer[]) to kelpie_service;
alter function kelpie.lease_tokens(text[], uuid[], integer[], double precision[], integer[]) owner to kelpie_access;

-- Deletes up to `most` buckets that are full again, and says how many. One that is in use is left for the next time, so
-- that nobody waits for another in a circle.
create function kelpie.sweep_rate_buckets(most integer) returns integer
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
revoke all on function kelpie.sweep_rate_buckets(integer) from public;
grant execute on function kelpie.sweep_rate_buckets(integer) to kelpie_service;
alter function kelpie.sweep_rate_buckets(integer) owner to kelpie_access;

revoke create on schema kelpie from kelpie_access;
