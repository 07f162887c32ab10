-- Gives a session that was just opened its MAC, in the partner's context or in none: the caller knows what it was opened with.
-- Guarantees: a MAC is never replaced.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.seal_session(of_session uuid, of_mac bytea) returns void
  language sql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
  update kelpie.sessions s set mac = of_mac where s.id = of_session and s.mac is null
$$;
