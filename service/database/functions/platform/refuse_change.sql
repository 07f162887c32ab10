-- Trigger function that makes a table insert-only. It runs before update or delete on each row, and before truncate.
-- The truncate trigger must be named never_emptied: make_month_partition looks for that name to add it to each partition.
-- Applied after: 0001
-- Callers: everyone
create or replace function kelpie.refuse_change() returns trigger
  language plpgsql
as $$
begin
  raise exception '% is insert-only: a mistake is corrected by another row', tg_table_name using errcode = 'restrict_violation';
end;
$$;
