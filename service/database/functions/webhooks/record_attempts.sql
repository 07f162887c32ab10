-- Writes down what attempts met, and what follows: a delivery ends or is due again, the next about its subject becomes due, and the
-- endpoint counts as failing or not.
--
-- Guarantees: an attempt whose lease went to another worker changes nothing. A delivery that ends makes the next one due in the
--   same commit. Once a failing endpoint answers, all that it has waiting is due at once.
-- Returns the endpoints that have failed for three days and are to be disabled.
-- Locks: the endpoints, in the order of their ids, as fan_out_events does.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
-- Applied after: 0034
create or replace function kelpie.record_attempts(
  now_at timestamptz, attempt_ids uuid[], endpoint_ids uuid[], event_ids uuid[], numbers integer[], begun_ats timestamptz[], latencies_ms integer[],
  statuses smallint[], reasons text[], headers_given text[], bodies text[], retry_ats timestamptz[], probe_ats timestamptz[],
  failures_before integer[]
) returns table (endpoint_id uuid, partner_id uuid, environment kelpie.environment)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  counted integer[];
  failing uuid[];
  -- Those of them that have answered.
  recovered uuid[];
begin
  select array_agg(l.id) filter (where kelpie.is_failing(l.failures)) into failing from (
    select w.id, w.failures from kelpie.webhook_endpoints w where w.id = any (endpoint_ids) order by w.id for no key update
  ) l;
  -- The places of attempts that still hold their lease.
  select coalesce(array_agg(item.place::integer), '{}') into counted
  from unnest(endpoint_ids, event_ids, numbers) with ordinality as item (endpoint_id, event_id, number, place)
  cross join lateral (
    select o.state, o.leased_until, o.attempts from kelpie.webhook_deliveries o
    where o.event_id = item.event_id and o.endpoint_id = item.endpoint_id
    -- By its key alone: with what follows, a plan could read all that is pending.
    offset 0
  ) d
  where d.state = 'pending' and d.leased_until is not null and d.attempts = item.number;

  insert into kelpie.webhook_attempts (
    id, event_id, endpoint_id, partner_id, environment, number, at, latency_ms, status, failure, headers, body
  )
  select attempt_ids[p], event_ids[p], w.id, w.partner_id, w.environment, numbers[p], begun_ats[p], latencies_ms[p], statuses[p],
    reasons[p], headers_given[p]::jsonb, bodies[p]
  from unnest(counted) as p
  join kelpie.webhook_endpoints w on w.id = endpoint_ids[p];

  with judged as (
    select p, endpoint_ids[p] as endpoint_id, event_ids[p] as event_id, retry_ats[p] as retry_at,
      statuses[p] between 200 and 299 is true as is_delivered
    from unnest(counted) as p
  )
  update kelpie.webhook_deliveries d
  set state = follows.state, leased_until = null,
    due_at = case when follows.state = 'pending' then j.retry_at end,
    ended_at = case when follows.state <> 'pending' then now_at end
  from judged j, lateral (
    select case when j.is_delivered then 'delivered' when j.retry_at > o.retry_until then 'failed' else 'pending' end
      ::kelpie.delivery_state as state
    from kelpie.webhook_deliveries o where o.event_id = j.event_id and o.endpoint_id = j.endpoint_id
  ) follows
  where d.event_id = j.event_id and d.endpoint_id = j.endpoint_id;

  -- The next about a subject whose delivery has ended.
  update kelpie.webhook_deliveries d set due_at = now_at
  from (
    select next.event_id, next.endpoint_id
    from unnest(counted) as p
    join kelpie.webhook_deliveries ended on ended.event_id = event_ids[p] and ended.endpoint_id = endpoint_ids[p]
    cross join lateral (
      select n.event_id, n.endpoint_id, n.due_at, n.leased_until from kelpie.webhook_deliveries n
      where n.subject_id = ended.subject_id and n.state = 'pending' and n.endpoint_id is not distinct from ended.endpoint_id
      order by n.sequence limit 1
    ) next
    where ended.state <> 'pending' and next.due_at is null and next.leased_until is null
  ) waiting
  where d.event_id = waiting.event_id and d.endpoint_id = waiting.endpoint_id;

  if failing is not null then
    recovered := array(
      select endpoint_ids[p] from unnest(counted) as p
      where statuses[p] between 200 and 299 and endpoint_ids[p] = any (failing)
    );
    update kelpie.webhook_deliveries d set due_at = now_at
    where d.endpoint_id = any (recovered) and d.state = 'pending' and d.leased_until is null and d.due_at > now_at;
  end if;

  with results as (
    select endpoint_ids[p] as endpoint_id, count(*) filter (where statuses[p] between 200 and 299 is not true) as failed,
      bool_or(statuses[p] between 200 and 299) is true as has_answered, max(probe_ats[p]) as probe_at,
      max(failures_before[p]) as failures_before
    from unnest(counted) as p group by 1
  )
  update kelpie.webhook_endpoints w
  set failures = follows.failures,
    failing_since = case when follows.failures > 0 then coalesce(w.failing_since, now_at) end,
    due_at = case when kelpie.is_failing(follows.failures) then greatest(r.probe_at, now_at) else now_at end
  from results r, lateral (
    -- Those that were under way together count until the endpoint is failing. From then on each probe does: the pause between two
    -- grows with them, and twenty that fail at once are no long outage.
    select case when r.has_answered then 0 when kelpie.is_failing(o.failures) then greatest(o.failures, r.failures_before + 1)
      else least(o.failures + r.failed, 5) end::integer as failures
    from kelpie.webhook_endpoints o where o.id = r.endpoint_id
  ) follows
  where w.id = r.endpoint_id;

  return query
    select w.id, w.partner_id, w.environment from kelpie.webhook_endpoints w
    where w.id = any (endpoint_ids) and w.disabled_at is null and w.failing_since <= now_at - interval '3 days';
end;
$$;
