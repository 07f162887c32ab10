-- One event of a partner, unless it is older than `since_id`.
-- Callers: everyone
create or replace function kelpie.find_numbered_event(
  of_partner uuid, of_environment kelpie.environment, of_event uuid, since_id uuid
) returns table (
  id uuid, sequence bigint, type kelpie.event_type, subject_id uuid, version integer, at timestamptz, snapshot jsonb
)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select e.id, e.sequence, e.type, e.subject_id, e.version, e.at, e.snapshot
    from kelpie.events e
    where e.id = of_event and e.id >= since_id and e.partner_id = of_partner and e.environment = of_environment;
end;
$$;
