-- Digests the entries of a month that leave it or come back, for operator_finish_archive and operator_finish_return. On the way out
-- it also counts those that stay: with those that leave they must be as many as the closed days of the month had. On the way back
-- it loads those that had stayed into the table of the month, which then holds all of it: so call it once, after the last line.
-- Needs no entry in the audit log. Raises data_corrupted where entries are missing.
-- Cost: it reads the month.
-- Owner: kelpie_ledger
-- Callers: kelpie_operator
create or replace function kelpie.digest_moving_entries(of_month date) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  month_first uuid := kelpie.first_id_at(of_month::timestamp at time zone 'utc');
  month_before uuid := kelpie.first_id_at((of_month + interval '1 month') at time zone 'utc');
  back_table text := to_char(of_month, '"ledger_entries_"YYYY_MM"_back"');
  state text;
  held record;
  stayed bigint;
  closed bigint;
begin
  -- Nothing is loaded meanwhile.
  select m.state into state from kelpie.archived_months m where m.month = of_month for update;
  case state
    when 'writing' then
      select d.* into held from kelpie.entries_digest(format(
        '(select l.* from generate_series(%L::timestamp, %L::timestamp, ''1 day'') as day
          cross join lateral kelpie.leaving_entries(%L, kelpie.first_id_at(day at time zone ''utc''),
            kelpie.first_id_at((day + interval ''1 day'') at time zone ''utc'')) l)',
        of_month, of_month + interval '1 month' - interval '1 day', of_month
      )) d;
      execute format('select count(*) from kelpie.%I', to_char(of_month, '"ledger_entries_"YYYY_MM"_kept"')) into stayed;
      select sum(d.entries) into closed from kelpie.closed_days d
      where d.day >= of_month and d.day < (of_month + interval '1 month')::date;
      if held.entries + stayed <> closed then
        raise exception 'the month had % entries when its days were closed, and has %', closed, held.entries + stayed
          using errcode = 'data_corrupted';
      end if;
    when 'returning' then
      select d.* into held from kelpie.entries_digest(format('kelpie.%I', back_table)) d;
      execute format(
        'insert into kelpie.%I select e.* from kelpie.ledger_entries e where e.transfer_id >= $1 and e.transfer_id < $2',
        back_table
      ) using month_first, month_before;
    else
      return;
  end case;
  update kelpie.archived_months m set held_entries = held.entries || ' ' || held.digest where m.month = of_month;
end;
$$;
