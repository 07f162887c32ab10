-- Pauses the live rail once rate differences and failures have cost more than a day may, over all partners. Operators lift
-- it as any pause; the next pause of that day comes when as much again is lost.
-- Returns whether it paused the rail now.
-- Locks: the day's row, then what add_payment_block writes.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.stop_after_losses(at timestamptz) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  -- Twice what odd differences may come to (kelpie.block_odd_differences): this is for what is too small to be odd.
  most_a_day constant bigint := 5000000000;
  lost bigint;
begin
  update kelpie.daily_losses d set stops_above_micro_usdc = d.loss_micro_usdc + most_a_day
  where d.environment = 'live' and d.on_day >= kelpie.london_day(at) - 1
    and d.loss_micro_usdc > coalesce(d.stops_above_micro_usdc, most_a_day)
  returning d.loss_micro_usdc into lost;
  if not found then
    return false;
  end if;
  return kelpie.add_payment_block(
    'rail_paused', 'provider_production', null, null,
    format('Rate differences and failed payments cost %s USDC today.', round(lost / 1e6, 2)), at, 'kelpie'
  ) is not null;
end;
$$;
