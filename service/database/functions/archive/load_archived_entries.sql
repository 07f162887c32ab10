-- Loads entries of the archive into the table of a month that returns, as load_archived_lines its payouts.
-- Owner: kelpie_owner
-- Callers: kelpie_operator
create or replace function kelpie.load_archived_entries(of_month date, lines text[]) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update kelpie.archived_months m set held_entries = null where m.month = of_month and m.state = 'returning';
  if not found then
    raise exception 'a month that does not return' using errcode = 'insufficient_privilege';
  end if;
  execute format(
    'insert into kelpie.%I
     select row.* from unnest($1) as line
     cross join lateral jsonb_populate_record(null::kelpie.ledger_entries, line::jsonb) as row',
    to_char(of_month, '"ledger_entries_"YYYY_MM"_back"')
  ) using lines;
end;
$$;
