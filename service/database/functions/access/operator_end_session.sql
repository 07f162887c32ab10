-- Ends a session, for an operator. Requires a session.end entry in the audit log in the same transaction.
-- Returns whose it was, or no row when there is no such session or it has ended.
-- Owner: kelpie_access
-- Callers: kelpie_operator
create or replace function kelpie.operator_end_session(of_session uuid, event_id uuid, at timestamptz)
  returns table (partner_id uuid, email text)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  perform kelpie.require_audit('session.end', of_session::text);
  return query
    with ended as (
      update kelpie.sessions s set revoked_at = at where s.id = of_session and s.revoked_at is null
      returning s.partner_id, s.email
    ), event as (
      insert into kelpie.security_events (id, partner_id, action, status, by, detail)
      select event_id, e.partner_id, 'session.end', 200, 'Kelpie support', of_session::text from ended e
    )
    select e.partner_id, e.email from ended e;
end;
$$;
