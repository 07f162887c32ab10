-- Lists partners whose sandbox waits to be connected to the sandbox bank, one page of at most 500 at a time.
-- It bypasses row security, so it returns only ids: everything else is read in the context of each partner.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_sandboxes_to_connect(after_partner uuid, at_most integer)
  returns table (partner_id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select e.partner_id from kelpie.partner_environments e
  where e.wants_bank and e.partner_id > after_partner
  order by e.partner_id limit least(at_most, 500)
$$;
