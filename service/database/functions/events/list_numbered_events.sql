-- A partner's events after a number, oldest first. Those before `since_id` are no longer shown.
-- Callers: everyone
create or replace function kelpie.list_numbered_events(
  of_partner uuid, of_environment kelpie.environment, after_sequence bigint, since_id uuid, at_most integer
) returns table (
  id uuid, sequence bigint, type kelpie.event_type, subject_id uuid, version integer, at timestamptz, snapshot jsonb
)
  language plpgsql volatile
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select e.id, e.sequence, e.type, e.subject_id, e.version, e.at, e.snapshot
    from kelpie.events e
    where e.partner_id = of_partner and e.environment = of_environment and e.sequence > after_sequence and e.id >= since_id
    order by e.sequence limit at_most;
end;
$$;
