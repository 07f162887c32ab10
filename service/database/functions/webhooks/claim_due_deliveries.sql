-- Leases deliveries that are due, to one worker.
--
-- Guarantees: a delivery is leased to one worker at a time, and of those about one subject at an endpoint one is leased. An endpoint
--   that fails has one lease at a time; any other has `at_most_each`. When a lease ends without a result, the delivery is due again.
-- Returns with each since when it could be sent: since it was due, and its endpoint too.
-- Cost: endpoints that are due by webhook_endpoints_due, and for each a few look-ups by index, however much it has pending.
-- Locks: these endpoints. Those that another transaction has locked are skipped: it changes what is due there.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
-- Applied after: 0035
create or replace function kelpie.claim_due_deliveries(
  now_at timestamptz, lease_until timestamptz, at_most integer, at_most_each integer
) returns table (
  endpoint_id uuid, event_id uuid, attempt integer, was_due_at timestamptz, previous_sequence bigint, partner_id uuid,
  environment kelpie.environment,
  url text, secret_encrypted bytea, previous_secret_encrypted bytea, previous_secret_until timestamptz, failures integer,
  sequence bigint, type text, subject_id uuid, version integer, at timestamptz, snapshot jsonb
)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  -- By place, those that are due first in front.
  endpoints uuid[];
  failures integer[];
  endpoint_due_ats timestamptz[];
  -- How many more each may have under way.
  rooms integer[];
  chosen_places integer[];
  chosen_events uuid[];
begin
  select array_agg(l.id), array_agg(l.failures), array_agg(l.due_at) into endpoints, failures, endpoint_due_ats
  from (
    select w.id, w.failures, w.due_at from kelpie.webhook_endpoints w
    where w.due_at <= now_at and w.disabled_at is null and w.deleted_at is null
    order by w.due_at limit least(at_most, 200) for no key update skip locked
  ) l;
  if endpoints is null then
    return;
  end if;
  -- Their worker died, or could not write down what it met.
  if exists (
    select from unnest(endpoints) as e (id) join kelpie.webhook_deliveries d on d.endpoint_id = e.id and d.leased_until <= now_at
  ) then
    update kelpie.webhook_deliveries d set leased_until = null, due_at = now_at
    from unnest(endpoints) as e (id) where d.endpoint_id = e.id and d.leased_until <= now_at;
  end if;
  select array_agg(
    case when kelpie.is_failing(failures[e.place]) then 1 else at_most_each end - (
      select count(*)::integer from (
        select from kelpie.webhook_deliveries d
        where d.endpoint_id = e.id and d.leased_until > now_at limit at_most_each
      ) under_way
    ) order by e.place
  ) into rooms
  from unnest(endpoints) with ordinality as e (id, place);
  select coalesce(array_agg(c.place::integer), '{}'), coalesce(array_agg(c.event_id), '{}') into chosen_places, chosen_events
  from (
    select e.place, d.event_id
    from unnest(endpoints) with ordinality as e (id, place)
    cross join lateral (
      select o.event_id, o.due_at from kelpie.webhook_deliveries o
      where o.endpoint_id = e.id and o.state = 'pending' and o.leased_until is null
        -- A probe may come before its delivery's own time: what waits for hours would keep a failing endpoint from recovering.
        and (o.due_at <= now_at or (kelpie.is_failing(failures[e.place]) and o.due_at is not null))
      order by o.due_at, o.event_id limit greatest(least(rooms[e.place], at_most), 0)
    ) d
    order by e.place, d.due_at, d.event_id limit at_most
  ) c;
  return query
    with claimed as (
      update kelpie.webhook_deliveries d set leased_until = lease_until, attempts = d.attempts + 1
      from unnest(chosen_places, chosen_events) as c (place, event_id)
      where d.event_id = c.event_id and d.endpoint_id = endpoints[c.place]
      returning d.event_id, d.attempts, greatest(d.due_at, endpoint_due_ats[c.place]) as was_due_at, d.previous_sequence, c.place
    )
    select w.id, e.id, c.attempts, c.was_due_at, c.previous_sequence, w.partner_id, w.environment, w.url, w.secret_encrypted,
      w.previous_secret_encrypted, w.previous_secret_until, w.failures, e.sequence, e.type::text, e.subject_id, e.version, e.at, e.snapshot
    from claimed c
    join kelpie.events e on e.id = c.event_id
    join kelpie.webhook_endpoints w on w.id = endpoints[c.place]
    order by c.place, e.sequence;
  -- A full endpoint is looked at when a result makes room; any other when its next delivery is due, or a lease ends. Those that
  -- others left no place for stay due.
  update kelpie.webhook_endpoints w set due_at = case
    when c.taken >= rooms[e.place] then lease_until
    else least(
      coalesce((
        select d.due_at from kelpie.webhook_deliveries d
        where d.endpoint_id = e.id and d.state = 'pending' and d.leased_until is null and d.due_at is not null
        order by d.due_at limit 1
      ), 'infinity'),
      coalesce((
        select d.leased_until from kelpie.webhook_deliveries d
        where d.endpoint_id = e.id and d.leased_until is not null
        order by d.leased_until limit 1
      ), 'infinity')
    )
  end
  from unnest(endpoints) with ordinality as e (id, place), lateral (
    select count(*) as taken from unnest(chosen_places) as t (place) where t.place = e.place
  ) c
  where w.id = e.id
    and (cardinality(chosen_places) < at_most or e.place <= chosen_places[cardinality(chosen_places)]);
end;
$$;
