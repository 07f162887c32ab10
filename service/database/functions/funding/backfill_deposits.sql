-- Makes funding sources due for one more read, back to `back_to`: it finds deposits that the bank reversed when the webhook
-- for that was lost. A source with nothing new since `back_to` is left out.
-- Locks: the rows of those sources.
-- Returns how many sources it made due.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.backfill_deposits(back_to timestamptz, at timestamptz) returns integer
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  made_due integer;
begin
  update kelpie.funding_sources f
  set wakes = f.wakes + 1, due_at = least(f.due_at, at), backfill_to = least(f.backfill_to, back_to)
  where f.changed_at >= back_to;
  get diagnostics made_due = row_count;
  return made_due;
end;
$$;
