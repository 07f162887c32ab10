-- Replaces values of an encrypted column by the same texts under another key. That it is the same text only the service can
-- know; a value that was not made for its row does not decrypt.
-- Guarantees: a value that has changed since it was read stays. Nothing is replaced without an audit entry in the same
--   transaction.
-- Returns how many were replaced.
-- Locks: the rows, in the order of their ids. Rows that are locked are skipped: this waits for no payout.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.replace_encrypted_values(
  of_table text, of_column text, row_keys text[], old_values bytea[], new_values bytea[]
) returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  one record;
  replaced integer;
begin
  perform kelpie.require_audit('encryption_keys.rotate', of_table);
  select c.* into strict one from kelpie.encrypted_columns() c where c.table_name = of_table and c.column_name = of_column;
  if one.id_name is null then
    with free as (
      select r.partner_id, r.environment, r.account_index, r.number, item.new_value
      from unnest(row_keys, old_values, new_values) as item (row_key, old_value, new_value)
      join kelpie.known_recipients r on r.partner_id = split_part(item.row_key, '|', 1)::uuid
        and r.environment = split_part(item.row_key, '|', 2)::kelpie.environment
        and r.account_index = decode(split_part(item.row_key, '|', 3), 'hex')
        and r.number = split_part(item.row_key, '|', 4)::bigint
        and r.id_encrypted = item.old_value
      order by r.partner_id, r.environment, r.account_index, r.number
      for no key update of r skip locked
    )
    update kelpie.known_recipients r set id_encrypted = free.new_value
    from free
    where r.partner_id = free.partner_id and r.environment = free.environment and r.account_index = free.account_index
      and r.number = free.number;
  else
    execute format(
      'with free as (
         select t.%1$I as id, item.new_value
         from unnest($1, $2, $3) as item (row_key, old_value, new_value)
         join kelpie.%3$I t on t.%1$I = item.row_key::uuid and t.%2$I = item.old_value
         order by t.%1$I for no key update of t skip locked
       )
       update kelpie.%3$I t set %2$I = free.new_value from free where t.%1$I = free.id',
      one.id_name, one.column_name, one.table_name
    ) using row_keys, old_values, new_values;
  end if;
  get diagnostics replaced = row_count;
  return replaced;
end;
$$;
