-- Returns what the status page shows, and what the state of each component is judged by. Public: it names no partner.
--   minute, now      what was recorded last, and for which minute
--   signals          of live alone: whether its rail is blocked; how many payouts of the last day have waited over 15 minutes for the
--                    bank, are at the bank for over 2 hours, or are due for over 5 minutes (100 at most each); for how many seconds a
--                    webhook has been due and an event has had no number
--   days             minutes of the last 90 days
--   incidents        those that are open or ended in the last 90 days, newest first, 50 at most
-- Cost: a few index entries, and as many rows as the page has. Every api process calls it every 10 seconds.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.read_status(at timestamptz) returns jsonb
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  waiting bigint;
  at_bank bigint;
begin
  -- A partner whose payments are blocked has payouts that wait, and that is no fault.
  select count(*) filter (where p.state in ('sending', 'pending')),
    count(*) filter (where p.state = 'processing' and l.payout_id < kelpie.first_id_at(at - interval '2 hours'))
  into waiting, at_bank
  from (
    select o.payout_id, o.partner_id from kelpie.payout_leases o
    where o.environment = 'live' and o.payout_id >= kelpie.first_id_at(at - interval '1 day')
      and o.payout_id < kelpie.first_id_at(at - interval '15 minutes')
    order by o.payout_id limit 100
  ) l
  join kelpie.payouts p on p.id = l.payout_id
  where not exists (select from kelpie.payment_blocks b where b.partner_id = l.partner_id);
  return jsonb_build_object(
    'minute', (select max(n.minute) from kelpie.status_now n),
    'now', (select jsonb_object_agg(n.component, n.level) from kelpie.status_now n),
    'signals', jsonb_build_object(
      'rail_blocked', exists (select from kelpie.payment_blocks b where b.rail = 'provider_production'),
      'waiting', waiting,
      'at_bank', at_bank,
      'overdue', (
        select count(*) from (
          select from kelpie.payout_leases o
          where o.environment = 'live' and o.due_at > at - interval '1 day' and o.due_at < at - interval '5 minutes'
            and o.leased_until < at - interval '5 minutes'
          limit 100
        ) o
      ),
      'webhook_delay', (
        select coalesce(extract(epoch from at - min(w.due_at))::bigint, 0) from kelpie.webhook_endpoints w
        where w.environment = 'live' and w.due_at < at and w.disabled_at is null and w.deleted_at is null
      ),
      'event_delay', (
        select greatest(0, coalesce(extract(epoch from at - min(e.at))::bigint, 0)) from kelpie.unnumbered_events e
        where e.environment = 'live'
      )
    ),
    'days', (
      select coalesce(jsonb_agg(to_jsonb(d)), '[]') from kelpie.status_days d
      where d.day > (at at time zone 'utc')::date - 90
    ),
    'incidents', (
      select coalesce(jsonb_agg(shown.incident), '[]') from (
        select to_jsonb(i) || jsonb_build_object('updates', (
          select coalesce(jsonb_agg(jsonb_build_object('at', u.at, 'text', u.text) order by u.number desc), '[]')
          from kelpie.status_updates u where u.incident_id = i.id
        )) as incident
        from kelpie.status_incidents i
        where i.resolved_at is null or i.resolved_at > at - interval '90 days'
        order by i.resolved_at is null desc, i.opened_at desc, i.id limit 50
      ) shown
    )
  );
end;
$$;
