-- Lists partners with a live environment whose books aren't closed up to `upto`, one page of at most 500 at a time.
-- It bypasses row security, so it returns only ids: everything else is read in the context of each partner.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_books_to_close(upto timestamptz, after_partner uuid, at_most integer)
  returns table (partner_id uuid)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select e.partner_id from kelpie.partner_environments e
  left join kelpie.closed_books b on b.partner_id = e.partner_id
  where e.environment = 'live' and e.created_at < upto and e.partner_id > after_partner
    and (b.closed_until is null or b.closed_until < upto)
  order by e.partner_id limit least(at_most, 500)
$$;
