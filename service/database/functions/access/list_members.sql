-- Lists a partner's members, in the order they were added.
-- Callers: everyone
create or replace function kelpie.list_members(of_partner uuid, of_environment kelpie.environment, at_most integer)
  returns table (email text, name text, role text, last_login_at timestamptz, created_at timestamptz)
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select m.email, m.name, m.role, m.last_login_at, m.created_at from kelpie.members m
    where m.partner_id = of_partner order by m.created_at, m.email limit at_most;
end;
$$;
