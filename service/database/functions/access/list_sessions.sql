-- Lists the open sessions of a partner, or of one of its members, the one that was used last first.
-- Callers: everyone
create or replace function kelpie.list_sessions(
  of_partner uuid, of_environment kelpie.environment, of_email text, at timestamptz, at_most integer
) returns table (
  id uuid, email text, created_at timestamptz, last_seen_at timestamptz, network text, browser text
)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select s.id, s.email, s.created_at, s.last_seen_at, s.network::text, s.browser from kelpie.sessions s
    where s.partner_id = of_partner and (of_email is null or s.email = of_email) and s.revoked_at is null
      and s.created_at > at - interval '12 hours' and s.last_seen_at > at - interval '30 minutes'
    order by s.last_seen_at desc, s.id desc limit at_most;
end;
$$;
