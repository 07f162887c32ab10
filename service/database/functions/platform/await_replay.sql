-- Waits until this standby has replayed the log up to a position of its primary, `most_ms` at most.
-- Returns 'replayed', 'behind' if that took too long, or 'elsewhere' if this is not a standby of that database on that
-- timeline, or row security does not apply to the caller.
-- The caller reads in the next statement of its connection: the snapshot of this one is from before the wait.
-- A standby that has to be rewound can be past the position on a timeline that ended. The control file names the newest
-- timeline that was certainly replayed, for some minutes after a failover still the one before it.
-- Locks: nothing.
-- Callers: kelpie_service, kelpie_reader
create or replace function kelpie.await_replay(of_database text, of_timeline integer, upto pg_lsn, most_ms integer)
  returns text
  language plpgsql volatile
as $$
declare
  give_up_at timestamptz := clock_timestamp() + make_interval(secs => most_ms / 1000.0);
begin
  if not pg_is_in_recovery()
    or of_database <> (pg_control_system()).system_identifier || '/' || current_database()
    or of_timeline <> (pg_control_recovery()).min_recovery_end_timeline
    or not row_security_active('kelpie.payouts') then
    return 'elsewhere';
  end if;
  while pg_last_wal_replay_lsn() < upto loop
    if clock_timestamp() > give_up_at then
      return 'behind';
    end if;
    perform pg_sleep(0.001);
  end loop;
  return 'replayed';
end;
$$;
