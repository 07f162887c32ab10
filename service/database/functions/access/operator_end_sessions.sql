-- Ends every session of a partner, for an operator. Requires a session.end_all entry in the audit log in the same
-- transaction.
-- Returns how many were open.
-- Owner: kelpie_access
-- Callers: kelpie_operator
create or replace function kelpie.operator_end_sessions(of_partner uuid, event_id uuid, at timestamptz) returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  ended integer;
begin
  perform kelpie.require_audit('session.end_all', of_partner::text);
  update kelpie.sessions s set revoked_at = at
  where s.partner_id = of_partner and s.revoked_at is null
    and s.created_at > at - interval '12 hours' and s.last_seen_at > at - interval '30 minutes';
  get diagnostics ended = row_count;
  insert into kelpie.security_events (id, partner_id, action, status, by, detail)
  values (event_id, of_partner, 'session.end_all', 200, 'Kelpie support', 'everyone');
  return ended;
end;
$$;
