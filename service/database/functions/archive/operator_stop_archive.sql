-- Stops archiving a month whose files are not whole: its payouts can change again. Requires an entry of `month.stop` about it in
-- the audit log in the same transaction.
-- Returns the name that its files begin with; null where nothing was begun.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_stop_archive(of_month date) returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  stopped text;
begin
  perform kelpie.require_audit('month.stop', to_char(of_month, 'YYYY-MM'));
  delete from kelpie.archived_months m where m.month = of_month and m.state = 'writing' returning m.name into stopped;
  return stopped;
end;
$$;
