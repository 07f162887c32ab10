-- Why a partner may not pay now on a rail, by kelpie.payment_block; null where it may. A worker asks before it sends anything
-- again. New payouts are decided in the commit that creates them.
-- Owner: kelpie_payouts
-- Callers: kelpie_service, kelpie_reader
create or replace function kelpie.find_payment_block(of_partner uuid, of_environment kelpie.environment, on_rail kelpie.rail)
  returns text
  -- Not in SQL: that would be planned again by each caller, and every partner environment that is read asks.
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select b.outcome
    from kelpie.partners p cross join lateral kelpie.payment_block(p.status, p.id, of_environment, on_rail) b
    where p.id = of_partner
  );
end;
$$;
