-- Raises the database's heartbeat by one, if it is not behind its anchor. The caller then writes the number to the anchor,
-- which so never names a number that was not committed.
-- Guarantees: of workers that race, one raises it; none raises it again within `every`. A database that is behind stays
--   behind until kelpie.operator_open_recovery, and live is closed.
-- Returns the database's number, and the outcome: raised, not_due or behind.
-- Locks: the one row.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.raise_heartbeat(anchored bigint, at timestamptz, every interval)
  returns table (number bigint, outcome text)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  last_at timestamptz;
begin
  select h.number, h.at into number, last_at from kelpie.heartbeat h for no key update;
  if number < anchored then
    perform kelpie.compare_heartbeat(anchored, at);
    outcome := 'behind';
  elsif at >= last_at and at < last_at + every then
    outcome := 'not_due';
  else
    number := number + 1;
    outcome := 'raised';
    update kelpie.heartbeat h set number = raise_heartbeat.number, at = raise_heartbeat.at;
  end if;
  return next;
end;
$$;
