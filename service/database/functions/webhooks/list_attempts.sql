-- The attempts to deliver an event to an endpoint of a partner, the newest first.
-- Callers: everyone
-- Applied after: 0034
create or replace function kelpie.list_attempts(
  of_partner uuid, of_environment kelpie.environment, of_endpoint uuid, of_event uuid, at_most integer
) returns table (
  number integer, at timestamptz, latency_ms integer, status smallint, failure text, headers jsonb, body text
)
  language plpgsql volatile
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
#variable_conflict use_column
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select a.number, a.at, a.latency_ms, a.status, a.failure, a.headers, a.body from kelpie.webhook_attempts a
    where a.endpoint_id = of_endpoint and a.event_id = of_event
    order by a.id desc limit at_most;
end;
$$;
