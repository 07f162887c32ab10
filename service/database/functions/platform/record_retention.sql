-- Records a run of a job that forgets: how many rows it removed, and until when it has looked at everything.
-- Owner: kelpie_payouts
-- Callers: kelpie_service, kelpie_payouts
create or replace function kelpie.record_retention(
  of_job text, removed_rows bigint, at timestamptz, seen timestamptz default null
) returns void
  language sql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
  insert into kelpie.retention_runs as r (job, on_day, removed, last_run_at, seen_until)
  values (of_job, (at at time zone 'utc')::date, removed_rows, at, seen)
  on conflict (job, on_day) do update
  set removed = r.removed + excluded.removed, last_run_at = excluded.last_run_at, seen_until = excluded.seen_until
$$;
