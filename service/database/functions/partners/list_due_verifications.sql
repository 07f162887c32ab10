-- Lists the verifications that are due to be polled, one page of at most 500 at a time.
-- It bypasses row security, so it returns only whose they are: everything else is read in the context of each partner.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_due_verifications(at timestamptz, after_id text, at_most integer)
  returns table (id text, partner_id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select v.id, v.partner_id from kelpie.verifications v
  where v.due_at <= at and v.id > after_id
  order by v.id limit least(at_most, 500)
$$;
