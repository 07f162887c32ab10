-- Records payouts as stuck that were created before an id and are still open, each once, 500 at most.
-- Returns how many it recorded.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.report_stuck_payouts(created_before uuid, instant timestamptz, at_most integer)
  returns integer
  language sql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
  with reported as (
    insert into kelpie.payout_problems (payout_id, kind, partner_id, environment, at)
    select o.payout_id, 'stuck', o.partner_id, o.environment, instant
    from kelpie.payout_leases o join kelpie.payouts p on p.id = o.payout_id
    where o.payout_id < created_before and p.state in ('pending', 'processing')
      and not exists (select from kelpie.payout_problems b where b.payout_id = o.payout_id and b.kind = 'stuck')
    order by o.payout_id limit least(at_most, 500)
    on conflict (payout_id, kind) do nothing
    returning 1
  )
  select count(*)::integer from reported
$$;
