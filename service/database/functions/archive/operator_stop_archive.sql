-- Stops archiving a month that is still in the database: its payouts can change again. Requires an entry of `month.stop` about it in
-- the audit log in the same transaction.
-- Returns the name that its files begin with; null where nothing was begun, or it has left.
-- Owner: kelpie_owner
-- Callers: kelpie_operator
create or replace function kelpie.operator_stop_archive(of_month date) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  stopped text;
begin
  perform kelpie.require_audit('month.stop', to_char(of_month, 'YYYY-MM'));
  delete from kelpie.archived_months m where m.month = of_month and m.left_at is null returning m.name into stopped;
  if not found then
    return null;
  end if;
  execute format('drop table if exists kelpie.%I', to_char(of_month, '"ledger_entries_"YYYY_MM"_kept"'));
  return stopped;
end;
$$;
