-- Drops the partitions of a month whose files are whole, all at once, and attaches the entries that stay. From the same commit the
-- sums of those that left count (kelpie.booked_entries). Requires an entry of `month.drop` about it in the audit log in the same
-- transaction.
-- Returns `dropped`, `absent` where they were already, `not_archived` where the files are not whole, or `wait`: within 10 seconds
--   of that, a process may still believe that no month is in the archive, and take what is dropped for what never was. The caller
--   retries. By the database's own clock.
-- Dropping locks the tables against everything for a moment. A wait over 100 ms raises lock_not_available, and the caller retries.
-- Locks: an advisory lock, as make_month_partition takes, then the tables and their partitions.
-- Owner: kelpie_owner
-- Callers: kelpie_operator
create or replace function kelpie.operator_drop_archived(of_month date) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '100ms'
as $$
declare
  suffix text := to_char(of_month, '_YYYY_MM');
  since timestamptz;
begin
  perform kelpie.require_audit('month.drop', to_char(of_month, 'YYYY-MM'));
  perform pg_advisory_xact_lock(hashtextextended('kelpie.make_month_partition', 0));
  select m.archived_at into since from kelpie.archived_months m where m.month = of_month and m.state = 'archived'
  for update;
  if since is null then
    return 'not_archived';
  elsif to_regclass('kelpie.payouts' || suffix) is null then
    return 'absent';
  elsif since > now() - interval '10 seconds' then
    return 'wait';
  end if;
  execute format(
    'drop table kelpie.%I, kelpie.%I, kelpie.%I', 'payouts' || suffix, 'payout_history' || suffix, 'ledger_entries' || suffix
  );
  execute format('alter table kelpie.%I rename to %I', 'ledger_entries' || suffix || '_kept', 'ledger_entries' || suffix);
  perform kelpie.attach_moved_entries(of_month);
  update kelpie.archived_months m set left_at = now() where m.month = of_month;
  return 'dropped';
end;
$$;
