-- The newest comparison of a balance that was made since an instant: the bank's figure less ours, without what is in flight.
-- Returns no row where the balance could not be compared since.
-- Callers: everyone
create or replace function kelpie.measured_difference(
  of_partner uuid, of_environment kelpie.environment, since timestamptz
) returns table (started_at timestamptz, difference numeric)
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  select r.started_at, (s.bank_micro_usdc - s.ours_micro_usdc - s.in_flight_micro_usdc)::numeric
  from kelpie.reconciled_environments s join kelpie.reconciliations r on r.id = s.run_id
  -- Runs have a column of_partner, which is not meant.
  where s.partner_id = measured_difference.of_partner and s.environment = of_environment and s.finished_at >= since
    and s.bank_micro_usdc is not null
  order by r.started_at desc limit 1
$$;
