-- Adds an update to an open incident on the status page, and may change its impact. Requires an entry of `status.update` about it in the
-- audit log in the same transaction.
-- Returns false, and changes nothing, when no open incident has the id.
-- Locks: the incident.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_update_incident(of_id uuid, of_text text, new_impact text, at timestamptz)
  returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('status.update', of_id::text);
  update kelpie.status_incidents i set impact = coalesce(new_impact::kelpie.status_level, i.impact)
  where i.id = of_id and i.resolved_at is null;
  if not found then
    return false;
  end if;
  insert into kelpie.status_updates (incident_id, number, at, text)
  select of_id, max(u.number) + 1, operator_update_incident.at, of_text from kelpie.status_updates u where u.incident_id = of_id;
  return true;
end;
$$;
