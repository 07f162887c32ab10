-- Resolves an open incident on the status page, with a last update. Requires an entry of `status.resolve` about it in the audit log in the
-- same transaction.
-- Returns false, and changes nothing, when no open incident has the id.
-- Locks: the incident.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_resolve_incident(of_id uuid, of_text text, at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('status.resolve', of_id::text);
  update kelpie.status_incidents i set resolved_at = operator_resolve_incident.at where i.id = of_id and i.resolved_at is null;
  if not found then
    return false;
  end if;
  insert into kelpie.status_updates (incident_id, number, at, text)
  select of_id, max(u.number) + 1, operator_resolve_incident.at, of_text from kelpie.status_updates u where u.incident_id = of_id;
  return true;
end;
$$;
