-- Creates the table that will take the place of a month's entries (attach_moved_entries), empty and not attached: `kept` on the way out,
-- `back` on the way back. What an earlier attempt left is dropped. The ledger's role fills it.
-- Callers: kelpie_owner
create or replace function kelpie.make_moved_entries(of_month date, kind text) returns void
  language plpgsql volatile
as $$
declare
  made text := to_char(of_month, '"ledger_entries_"YYYY_MM') || '_' || kind;
begin
  execute format('drop table if exists kelpie.%I', made);
  execute format('create table kelpie.%I (like kelpie.ledger_entries including all)', made);
  -- With a check that says the same, attaching reads no row while it holds the table.
  execute format(
    'alter table kelpie.%I add constraint of_month check (transfer_id >= %L and transfer_id < %L)',
    made, kelpie.first_id_at(of_month::timestamp at time zone 'utc'),
    kelpie.first_id_at((of_month + interval '1 month') at time zone 'utc')
  );
  execute format('grant select, insert on kelpie.%I to kelpie_ledger', made);
end;
$$;
