-- How many values each encrypted column has under each data key: a value begins with the version of its key, and one without any
-- bytes counts as under key 0. Reads every row of these tables.
-- Owner: kelpie_payouts
-- Callers: kelpie_reader, kelpie_service
create or replace function kelpie.count_encrypted_values() returns table (
  table_name text, column_name text, key_version integer, encrypted_values bigint
)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  one record;
begin
  for one in select c.table_name, c.column_name from kelpie.encrypted_columns() c loop
    return query execute format(
      'select %1$L::text, %2$L::text, get_byte(t.%2$I || ''\x00'', 0), count(*) from kelpie.%1$I t
       where t.%2$I is not null group by 3 order by 3',
      one.table_name, one.column_name
    );
  end loop;
end;
$$;
