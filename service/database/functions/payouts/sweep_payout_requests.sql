-- Closes payout requests that have expired, and deletes those that were closed 25 months ago, at most `at_most` of each.
-- Returns how many were closed and deleted.
-- Locks: requests that nobody else holds.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.sweep_payout_requests(at timestamptz, at_most integer)
  returns table (expired bigint, deleted bigint)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    with closed as (
      update kelpie.payout_requests r
      set state = 'expired', decided_at = at, approved_by = null, approved_at = null, recipient_encrypted = null
      where r.id in (
        select o.id from kelpie.payout_requests o where o.state = 'open' and o.expires_at <= at
        order by o.expires_at limit at_most for update skip locked
      )
      returning r.id
    ), old as (
      delete from kelpie.payout_requests r
      where r.id in (
        select o.id from kelpie.payout_requests o
        -- By the database's clock too: a caller with a wrong clock can't make it forget early.
        where o.state <> 'open' and o.id < kelpie.first_id_at(least(at, now()) - interval '25 months')
        order by o.id limit at_most for update skip locked
      )
      returning r.id
    )
    select (select count(*) from closed), (select count(*) from old);
end;
$$;
