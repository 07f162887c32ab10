-- When the next open payout of each environment is due, of any partner; null where none is open. One that a webhook woke during
-- its lease counts as due: it can be claimed as soon as it is released. One that was always due is so since 1970, because an
-- infinite instant is no date for the caller.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.next_due_payouts() returns table (live timestamptz, sandbox timestamptz)
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
  -- The first entry of an index. A plan made while the table was small would read all of it later.
  set enable_seqscan = off
  set enable_bitmapscan = off
as $$
  select
    (select greatest(o.due_at, 'epoch') from kelpie.payout_leases o where o.environment = 'live' order by o.environment, o.due_at limit 1),
    (select greatest(o.due_at, 'epoch') from kelpie.payout_leases o where o.environment = 'sandbox' order by o.environment, o.due_at limit 1);
$$;
