-- Lists a partner's security events in both environments, newest first. Null for `of_action` matches all.
-- Callers: everyone
create or replace function kelpie.list_security_events(
  of_partner uuid, of_environment kelpie.environment, of_action text, before_id uuid, at_most integer
) returns table (
  id uuid, environment kelpie.environment, action text, status integer, by text, detail text, network text, browser text
)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select e.id, e.environment, e.action, e.status, e.by, e.detail, e.network::text, e.browser
    from kelpie.security_events e
    where e.partner_id = of_partner and (of_action is null or e.action = of_action)
      and e.id < before_id
    order by e.id desc limit at_most;
end;
$$;
