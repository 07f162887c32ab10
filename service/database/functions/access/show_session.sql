-- Retrieves a session with its person and partner, for the person who holds it. It doesn't check expiry or revocation:
-- the request was authenticated before.
-- has_live is read in the live context and the rest in `of_environment`: row security would hide the live environment
-- from a sandbox context.
-- Returns no row when the member was removed.
-- Callers: everyone
create or replace function kelpie.show_session(of_partner uuid, of_environment kelpie.environment, of_session uuid)
  returns table (
    email text, name text, role text, created_at timestamptz, partner_name text, partner_slug text, partner_status text,
    has_live boolean
  )
  language plpgsql volatile
as $$
#variable_conflict use_column
begin
  perform kelpie.set_partner_context(of_partner, 'live');
  has_live := exists (select from kelpie.partner_environments e where e.partner_id = of_partner);
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select m.email, m.name, m.role, s.created_at, p.name, p.slug, p.status, has_live
    from kelpie.sessions s
    join kelpie.members m on m.email = s.email and m.partner_id = s.partner_id
    join kelpie.partners p on p.id = s.partner_id
    where s.id = of_session;
end;
$$;
