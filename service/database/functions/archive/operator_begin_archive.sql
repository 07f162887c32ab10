-- Begins to archive a month: from then on its payouts and their histories do not change, so that they can be copied; entries of
-- the ledger never do. Creates the table of those that will stay. Another attempt takes the place of one that was not finished.
-- Requires an entry of `month.archive` about it in the audit log in the same transaction.
-- Returns null, or why not: what archive_obstacle says, or `archived` where it is in the archive.
-- Locks: the partitions of the month against writers, which wait, and see then that it is in the archive.
-- Owner: kelpie_owner
-- Callers: kelpie_operator
create or replace function kelpie.operator_begin_archive(of_month date, of_name text, at timestamptz) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '2s'
as $$
declare
  suffix text := to_char(of_month, '_YYYY_MM');
  obstacle text;
begin
  perform kelpie.require_audit('month.archive', to_char(of_month, 'YYYY-MM'));
  if exists (select from kelpie.archived_months m where m.month = of_month and m.state <> 'writing') then
    return 'archived';
  elsif to_regclass('kelpie.payouts' || suffix) is null then
    return 'missing';
  end if;
  execute format('lock table kelpie.%I, kelpie.%I in share mode', 'payouts' || suffix, 'payout_history' || suffix);
  obstacle := kelpie.archive_obstacle(of_month, at);
  if obstacle is not null then
    return obstacle;
  end if;
  perform kelpie.make_moved_entries(of_month, 'kept');
  insert into kelpie.archived_months as m (month, state, name, began_at) values (of_month, 'writing', of_name, at)
  on conflict (month) do update
  set name = excluded.name, began_at = excluded.began_at, held_digest = null, held_entries = null, kept_digest = null
  where m.state = 'writing';
  return null;
end;
$$;
