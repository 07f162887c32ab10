-- Deletes payout problems that were emailed before an instant, 2,000 at most. Returns how many.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.delete_old_payout_problems(notified_before timestamptz) returns integer
  language sql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
  with deleted as (
    delete from kelpie.payout_problems
    where (payout_id, kind) in (
      select b.payout_id, b.kind from kelpie.payout_problems b where b.notified_at < notified_before limit 2000
    )
    returning 1
  )
  select count(*)::integer from deleted
$$;
