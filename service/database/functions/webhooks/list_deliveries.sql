-- What was sent to an endpoint of a partner, the newest first, each with its last attempt: of one event, in one state, or all. Those
-- before `since_id` are no longer shown.
-- Callers: everyone
-- Applied after: 0034
create or replace function kelpie.list_deliveries(
  of_partner uuid, of_environment kelpie.environment, of_endpoint uuid, only_event uuid, in_state kelpie.delivery_state, before_id uuid, since_id uuid,
  at_most integer
) returns table (
  event_id uuid, type text, sequence bigint, previous_sequence bigint, state kelpie.delivery_state, attempts integer,
  created_at timestamptz, due_at timestamptz, ended_at timestamptz, attempt_at timestamptz, latency_ms integer, status smallint,
  failure text
)
  language plpgsql volatile
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select d.event_id, e.type::text, d.sequence, d.previous_sequence, d.state, d.attempts, d.created_at, d.due_at, d.ended_at,
      a.at, a.latency_ms, a.status, a.failure
    from (
      -- Each by an index of its own.
      (
        select o.* from kelpie.webhook_deliveries o
        where o.event_id = only_event and o.endpoint_id = of_endpoint and o.event_id >= since_id
      )
      union all
      (
        select o.* from kelpie.webhook_deliveries o
        where only_event is null and in_state is null and o.endpoint_id = of_endpoint and o.event_id < before_id and o.event_id >= since_id
        order by o.event_id desc limit at_most
      )
      union all
      (
        select o.* from kelpie.webhook_deliveries o
        where in_state = 'delivered' and o.state = 'delivered' and o.endpoint_id = of_endpoint and o.event_id < before_id
          and o.event_id >= since_id
        order by o.event_id desc limit at_most
      )
      union all
      (
        select o.* from kelpie.webhook_deliveries o
        where in_state <> 'delivered' and (o.ended_at is null or o.state = 'failed') and o.state = in_state and o.endpoint_id = of_endpoint
          and o.event_id < before_id and o.event_id >= since_id
        order by o.event_id desc limit at_most
      )
    ) d
    join kelpie.events e on e.id = d.event_id
    left join lateral (
      select o.at, o.latency_ms, o.status, o.failure from kelpie.webhook_attempts o
      where o.endpoint_id = of_endpoint and o.event_id = d.event_id
      order by o.id desc limit 1
    ) a on true
    order by d.event_id desc;
end;
$$;
