-- Lists the funding sources that are due to be read, one page of at most 500 at a time.
-- It bypasses row security, so it returns only whose they are: everything else is read in the context of each partner.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_due_funding_sources(at timestamptz, after_id uuid, at_most integer)
  returns table (id uuid, partner_id uuid, environment kelpie.environment)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select f.id, f.partner_id, f.environment from kelpie.funding_sources f
  where f.due_at <= at and f.id > after_id
  order by f.id limit least(at_most, 500)
$$;
