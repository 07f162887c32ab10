-- Compares the database's heartbeat with the anchor outside it, before a process takes work. A database that is behind was
-- restored: live is closed, see kelpie.begin_recovery.
-- Returns the database's number, and whether it is behind.
-- Locks: nothing, unless it is behind.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.compare_heartbeat(anchored bigint, at timestamptz)
  returns table (number bigint, is_behind boolean)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  select h.number, h.number < anchored into number, is_behind from kelpie.heartbeat h;
  if is_behind then
    perform kelpie.begin_recovery(
      format('The database is at heartbeat %s, and its anchor at %s. It was restored.', number, anchored), at, 'kelpie'
    );
  end if;
  return next;
end;
$$;
