-- Loads lines of the archive into the tables of a month that returns. They are no part of payouts yet, and only become one if they
-- hold exactly what was archived (operator_finish_return). So loading needs no entry in the audit log, and a wrong line does no harm.
-- Returns how many payouts were loaded.
-- Owner: kelpie_owner
-- Callers: kelpie_operator
create or replace function kelpie.load_archived_lines(of_month date, lines text[]) returns bigint
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  suffix text := to_char(of_month, '_YYYY_MM');
  loaded bigint;
begin
  -- What was digested before is no longer what is there.
  update kelpie.archived_months m set held_digest = null where m.month = of_month and m.state = 'returning';
  if not found then
    raise exception 'a month that does not return' using errcode = 'insufficient_privilege';
  end if;
  -- Lateral, since (jsonb_populate_record(...)).* would read the line again for each column.
  execute format(
    'insert into kelpie.%I
     select row.* from unnest($1) as line
     cross join lateral jsonb_populate_record(null::kelpie.payouts, line::jsonb -> ''payout'') as row',
    'payouts' || suffix
  ) using lines;
  get diagnostics loaded = row_count;
  execute format(
    'insert into kelpie.%I
     select row.* from unnest($1) as line
     cross join lateral jsonb_populate_recordset(null::kelpie.payout_history, line::jsonb -> ''history'') as row',
    'payout_history' || suffix
  ) using lines;
  return loaded;
end;
$$;
