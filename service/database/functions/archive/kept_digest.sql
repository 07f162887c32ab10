-- A SHA-256 of what stays in the database in the place of a month's entries: their sums, and the bounds of statements.
-- A new column of one of these tables changes the digests: a migration that adds one has to make them anew.
-- Callers: kelpie_ledger, kelpie_reader
create or replace function kelpie.kept_digest(of_month date) returns text
  language sql stable
  set timezone = 'UTC'
  set datestyle = 'ISO'
begin atomic
  select encode(sha256(convert_to(coalesce(string_agg(encode(sha256(convert_to(k.line, 'UTF8')), 'hex'), '' order by k.line collate "C"), ''), 'UTF8')), 'hex')
  from (
    select c::text as line from kelpie.carried_entries c where c.month = of_month
    union all
    select s::text from kelpie.archived_statements s where s.month = of_month
  ) k;
end;
