-- Deletes the counters of days before this one, and what was emailed about them.
-- Returns how many counters there were.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.delete_old_spending(before_day date) returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  deleted integer;
begin
  delete from kelpie.volume_alerts a where a.on_day < before_day;
  delete from kelpie.daily_spending s where s.on_day < before_day;
  get diagnostics deleted = row_count;
  return deleted;
end;
$$;
