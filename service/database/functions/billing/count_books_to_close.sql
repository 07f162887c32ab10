-- Counts the partners that list_books_to_close lists, to show the progress of a run. Keep the two conditions the same.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.count_books_to_close(upto timestamptz) returns bigint
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select count(*) from kelpie.partner_environments e
  left join kelpie.closed_books b on b.partner_id = e.partner_id
  where e.environment = 'live' and e.created_at < upto and (b.closed_until is null or b.closed_until < upto)
$$;
