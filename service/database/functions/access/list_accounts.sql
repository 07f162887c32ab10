-- Lists the accounts of the person who holds this session, the session's own account first, then by name.
-- It takes a session rather than an email address, so that only the person can see where they are a member.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.list_accounts(of_session uuid, at_most integer)
  returns table (slug text, name text, role text, last_login_at timestamptz, is_current boolean)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select p.slug, p.name, m.role, m.last_login_at, m.partner_id = s.partner_id
    from kelpie.sessions s
    join kelpie.members m on m.email = s.email
    join kelpie.partners p on p.id = m.partner_id
    where s.id = of_session and s.revoked_at is null
    order by m.partner_id <> s.partner_id, p.name, p.slug limit at_most;
end;
$$;
