-- Prepares what stays of a month's entries once it is archived: those that don't leave, in a table of their own; the sums of those
-- that do; and the bounds of the statements that they are on. All of it is of no effect until operator_drop_archived. Needs no
-- entry in the audit log. Call it once after operator_begin_archive, which makes the table.
-- Cost: it reads the month, a day at a time, and three statements' bounds for each wallet of it. Compiling these would take longer
-- than they do.
-- Owner: kelpie_ledger
-- Callers: kelpie_operator
create or replace function kelpie.prepare_month(of_month date) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set work_mem = '128MB'
  set jit = off
as $$
declare
  kept_table text := to_char(of_month, '"ledger_entries_"YYYY_MM"_kept"');
  from_day timestamp;
  first_id uuid;
  before_id uuid;
  moved record;
begin
  perform from kelpie.archived_months m where m.month = of_month and m.state = 'writing' for update;
  if not found then
    raise exception 'a month that is not being archived' using errcode = 'insufficient_privilege';
  end if;
  delete from kelpie.carried_entries c where c.month = of_month;
  delete from kelpie.archived_statements s where s.month = of_month;
  for from_day in
    select generate_series(of_month::timestamp, of_month + interval '1 month' - interval '1 day', interval '1 day')
  loop
    first_id := kelpie.first_id_at(from_day at time zone 'utc');
    before_id := kelpie.first_id_at((from_day + interval '1 day') at time zone 'utc');
    execute format(
      'insert into kelpie.%I
       select e.* from kelpie.ledger_entries e
       left join kelpie.leaving_entries($1, $2, $3) l on l.transfer_id = e.transfer_id and l.line = e.line
       where e.transfer_id >= $2 and e.transfer_id < $3 and l.transfer_id is null',
      kept_table
    ) using of_month, first_id, before_id;
    perform kelpie.carry_entries(of_month, first_id, before_id);
  end loop;
  -- The statements of a month reach an hour into its neighbours, and look a day further.
  for moved in
    select distinct c.partner_id, c.environment, (of_month + make_interval(months => shift))::date as london_month
    from kelpie.carried_entries c cross join generate_series(-1, 1) as shift
    where c.month = of_month and c.account = 'wallet'
  loop
    insert into kelpie.archived_statements
    select of_month, moved.partner_id, moved.environment, moved.london_month, f.*
    from kelpie.read_statement_frame(moved.partner_id, moved.environment, moved.london_month) f;
  end loop;
  update kelpie.archived_months m set kept_digest = kelpie.kept_digest(of_month) where m.month = of_month;
end;
$$;
