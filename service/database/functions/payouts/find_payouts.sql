-- Retrieves payouts in any state, each of the partner that is named with it: what find_payout does for one. Another partner's is
-- not found.
-- Returns one row for each that was found, with its place in the arrays.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.find_payouts(partner_ids uuid[], environments kelpie.environment[], payout_ids uuid[])
  returns table (place bigint, payout kelpie.payouts)
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  return query
    select item.place, p
    from unnest(partner_ids, environments, payout_ids) with ordinality as item (partner_id, environment, id, place)
    join kelpie.payouts p on p.id = item.id and p.partner_id = item.partner_id and p.environment = item.environment;
end;
$$;
