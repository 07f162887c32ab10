-- Adds a delivery for each endpoint that wants an event, in the transaction that numbers it.
--
-- Guarantees: an endpoint has each event once, and each delivery names the event before it at that endpoint. Of those about one
--   subject, one is due: a later one waits for it.
-- Cost: the new events by their ids, before anything is joined: otherwise a plan may read the partner's whole feed. What is pending is
--   found by its subject; "is not distinct from" is never looked up by an index.
-- Locks: the endpoints, in the order of their ids. What ends a delivery locks them too, so none is left waiting for one that ended.
-- Owner: kelpie_payouts
-- Callers: kelpie_payouts
-- Applied after: 0034
create or replace function kelpie.fan_out_events(event_ids uuid[], now_at timestamptz) returns void
  language plpgsql volatile
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
declare
  wanting uuid[];
begin
  with numbered as materialized (
    select distinct e.partner_id, e.environment from kelpie.events e where e.id = any (event_ids)
  )
  select array_agg(locked.id) into wanting from (
    select w.id from kelpie.webhook_endpoints w
    where w.disabled_at is null and w.deleted_at is null and (w.partner_id, w.environment) in (
      select n.partner_id, n.environment from numbered n
    )
    order by w.id for no key update of w
  ) locked;
  if wanting is null then
    return;
  end if;
  with numbered as materialized (
    select e.* from kelpie.events e where e.id = any (event_ids)
  ), fanned as (
    select w.id as endpoint_id, e.id as event_id, e.partner_id, e.environment, e.sequence, e.subject_id,
      coalesce(lag(e.sequence) over (partition by w.id order by e.sequence), w.last_sequence) as previous_sequence,
      row_number() over (partition by w.id, e.subject_id order by e.sequence) as nth
    from numbered e
    join kelpie.webhook_endpoints w on w.partner_id = e.partner_id and w.environment = e.environment
    where w.id = any (wanting) and (w.types is null or e.type::text = any (w.types))
  ), added as (
    insert into kelpie.webhook_deliveries (
      event_id, endpoint_id, partner_id, environment, sequence, previous_sequence, subject_id, state, created_at, due_at, retry_until
    )
    select f.event_id, f.endpoint_id, f.partner_id, f.environment, f.sequence, f.previous_sequence, f.subject_id, 'pending', now_at,
      case when f.nth = 1 and not exists (
        select from kelpie.webhook_deliveries d
        where d.subject_id = f.subject_id and d.state = 'pending' and d.endpoint_id is not distinct from f.endpoint_id
      ) then now_at end,
      now_at + interval '3 days'
    from fanned f
    returning endpoint_id, sequence
  )
  update kelpie.webhook_endpoints w
  set last_sequence = last.sequence, 
    -- A failing one waits for its next probe, if one is planned.
    due_at = case when kelpie.is_failing(w.failures) and w.due_at < 'infinity' then w.due_at else least(w.due_at, now_at) end
  from (select a.endpoint_id, max(a.sequence) as sequence from added a group by a.endpoint_id) last
  where w.id = last.endpoint_id;
end;
$$;
