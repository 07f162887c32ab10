-- Opens an incident on the status page, with its first update. Requires an entry of `status.open` about its id in the audit log in the
-- same transaction.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_open_incident(
  of_id uuid, of_title text, of_impact text, of_components text[], of_text text, at timestamptz
) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('status.open', of_id::text);
  insert into kelpie.status_incidents (id, title, impact, components, opened_at)
  values (of_id, of_title, of_impact::kelpie.status_level, of_components::kelpie.status_component[], operator_open_incident.at);
  insert into kelpie.status_updates (incident_id, number, at, text) values (of_id, 1, operator_open_incident.at, of_text);
end;
$$;
