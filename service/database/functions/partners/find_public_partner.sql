-- Retrieves what anyone may know about a partner, for its public page. Closed partners are not found.
-- Owner: kelpie_access
-- Callers: kelpie_service
create or replace function kelpie.find_public_partner(of_slug text)
  returns table (slug text, name text, logo_url text, brand_color text)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select p.slug, p.name, p.logo_url, p.brand_color from kelpie.partners p where p.slug = of_slug and p.status <> 'closed';
end;
$$;
