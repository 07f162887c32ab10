-- Lists the next rows of a table with an encrypted column, in the order of their ids: the value where it is under another key than
-- this one, else null, and the row that it is bound to. Any partner's. A ciphertext says nothing without the data keys.
-- after_key names the last row of the page before; null for the first page.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_encrypted_values(
  of_table text, of_column text, except_version integer, after_key text, at_most integer
) returns table (row_key text, place_row text, encrypted bytea)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  one record;
begin
  select c.* into strict one from kelpie.encrypted_columns() c where c.table_name = of_table and c.column_name = of_column;
  if one.id_name is null then
    return query
      select concat_ws('|', r.partner_id, r.environment, encode(r.account_index, 'hex'), r.number),
        concat_ws('|', r.partner_id, r.environment, encode(r.account_index, 'hex')),
        case when get_byte(r.id_encrypted || '\x00', 0) <> except_version then r.id_encrypted end
      from kelpie.known_recipients r
      where after_key is null or (r.partner_id, r.environment, r.account_index, r.number) > (
        split_part(after_key, '|', 1)::uuid, split_part(after_key, '|', 2)::kelpie.environment,
        decode(split_part(after_key, '|', 3), 'hex'), split_part(after_key, '|', 4)::bigint
      )
      order by r.partner_id, r.environment, r.account_index, r.number
      limit at_most;
    return;
  end if;
  return query execute format(
    'select t.%1$I::text, %2$s, case when get_byte(t.%3$I || ''\x00'', 0) <> $1 then t.%3$I end
     from kelpie.%4$I t where t.%1$I > $2 order by t.%1$I limit $3',
    one.id_name, one.place_row, one.column_name, one.table_name
  ) using except_version, coalesce(after_key::uuid, '00000000-0000-0000-0000-000000000000'), at_most;
end;
$$;
