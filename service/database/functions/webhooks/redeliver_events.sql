-- Makes deliveries of an endpoint pending again: of one event, or of all that it wants after a number, at most so many. Events that it
-- never had are added.
--
-- Guarantees: as fan_out_events. A delivery that is under way is left alone.
-- Returns how many events there were and the number of the last, or no row for an endpoint that the partner does not have.
-- Locks: the endpoint.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
-- Applied after: 0034
create or replace function kelpie.redeliver_events(
  of_partner uuid, of_environment kelpie.environment, of_endpoint uuid, only_event uuid, after_sequence bigint, since_id uuid,
  at_most integer, now_at timestamptz
) returns table (redelivered integer, last_sequence bigint)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  wanted text[];
  chosen uuid[];
begin
  select w.types into wanted from kelpie.webhook_endpoints w
  where w.id = of_endpoint and w.partner_id = of_partner and w.environment = of_environment and w.deleted_at is null
  for no key update;
  if not found then
    return;
  end if;
  if only_event is null then
    select coalesce(array_agg(e.id order by e.sequence), '{}') into chosen from (
      select e.id, e.sequence from kelpie.events e
      where e.partner_id = of_partner and e.environment = of_environment and e.sequence > after_sequence and e.id >= since_id
        and (wanted is null or e.type::text = any (wanted))
      order by e.environment, e.sequence limit at_most
    ) e;
  else
    select coalesce(array_agg(e.id), '{}') into chosen from kelpie.events e
    where e.id = only_event and e.id >= since_id and e.partner_id = of_partner and e.environment = of_environment;
  end if;

  insert into kelpie.webhook_deliveries as d (
    event_id, endpoint_id, partner_id, environment, sequence, previous_sequence, subject_id, state, created_at, retry_until
  )
  select e.id, of_endpoint, of_partner, of_environment, e.sequence, (
      select o.sequence from kelpie.events o
      where o.partner_id = of_partner and o.environment = of_environment and o.sequence < e.sequence
        and (wanted is null or o.type::text = any (wanted))
      order by o.environment desc, o.sequence desc limit 1
    ), e.subject_id, 'pending', now_at, now_at + interval '3 days'
  from unnest(chosen) as item (id) join kelpie.events e on e.id = item.id
  on conflict (event_id, endpoint_id) do update set state = 'pending', ended_at = null, retry_until = excluded.retry_until
  where d.state <> 'pending';

  -- What waits for its next try is tried now, and where nothing about a subject is due yet, its first is.
  update kelpie.webhook_deliveries d set due_at = now_at, retry_until = now_at + interval '3 days'
  where d.endpoint_id = of_endpoint and d.event_id = any (chosen) and d.state = 'pending' and d.leased_until is null
    and d.due_at > now_at;
  update kelpie.webhook_deliveries d set due_at = now_at
  from (
    select distinct on (o.subject_id) o.event_id from kelpie.webhook_deliveries c
    join kelpie.webhook_deliveries o on o.subject_id = c.subject_id and o.state = 'pending'
      and o.endpoint_id is not distinct from of_endpoint
    where c.endpoint_id = of_endpoint and c.event_id = any (chosen) and not exists (
      select from kelpie.webhook_deliveries h
      where h.subject_id = c.subject_id and h.state = 'pending' and h.endpoint_id is not distinct from of_endpoint
        and (h.due_at is not null or h.leased_until is not null)
    )
    order by o.subject_id, o.sequence
  ) first
  where d.endpoint_id = of_endpoint and d.event_id = first.event_id;

  return query
    with last as (select max(e.sequence) as sequence from unnest(chosen) as item (id) join kelpie.events e on e.id = item.id)
    update kelpie.webhook_endpoints w
    set due_at = least(w.due_at, now_at), last_sequence = greatest(w.last_sequence, last.sequence)
    from last where w.id = of_endpoint
    returning cardinality(chosen), last.sequence;
end;
$$;
