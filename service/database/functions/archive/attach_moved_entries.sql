-- Attaches the table of a month's entries that took the place of another. Its check `of_month` spares reading it, and the role that
-- filled it has no more rights there.
-- Locks: as attach_month_partition.
-- Callers: kelpie_owner
create or replace function kelpie.attach_moved_entries(of_month date) returns void
  language plpgsql volatile
as $$
declare
  moved text := to_char(of_month, '"ledger_entries_"YYYY_MM');
begin
  execute format('revoke all on kelpie.%I from kelpie_ledger', moved);
  perform kelpie.attach_month_partition('ledger_entries', moved, of_month::timestamp at time zone 'utc');
  execute format('alter table kelpie.%I drop constraint of_month', moved);
end;
$$;
