-- Makes a table insert-only for every role, its owner included: no row is changed or deleted, and the table is never
-- emptied. Partitions inherit the trigger on rows; make_month_partition gives them the one on truncation.
-- Callers: none
-- Applied after: 0001
create or replace function kelpie.make_insert_only(table_name text) returns void
  language plpgsql volatile
as $$
begin
  execute format(
    'create trigger insert_only before update or delete on kelpie.%I for each row execute function kelpie.refuse_change()',
    table_name
  );
  execute format(
    'create trigger never_emptied before truncate on kelpie.%I for each statement execute function kelpie.refuse_change()',
    table_name
  );
end;
$$;
