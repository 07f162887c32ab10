-- Lists what the bank called the recipients of these accounts, one row for each time that one was registered or given up.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.list_recipients_of_accounts(
  partner_ids uuid[], environments kelpie.environment[], account_indexes bytea[]
) returns table (
  partner_id uuid, environment kelpie.environment, account_index bytea, number bigint, id_encrypted bytea
)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select r.partner_id, r.environment, r.account_index, r.number, r.id_encrypted
    from unnest(partner_ids, environments, account_indexes) as item (partner_id, environment, account_index)
    join kelpie.known_recipients r on r.partner_id = item.partner_id and r.environment = item.environment
      and r.account_index = item.account_index;
end;
$$;
