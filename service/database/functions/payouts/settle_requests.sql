-- The part of create_payouts that closes the requests of the payouts it creates, in the same commit, with their events.
-- Callers: kelpie_payouts
create or replace function kelpie.settle_requests(
  is_granted boolean[], order_ids uuid[], payout_ids uuid[], instants timestamptz[]
) returns void
  language plpgsql volatile
as $$
#variable_conflict use_column
begin
  with settled as (
    update kelpie.payout_requests r
    set state = 'approved', payout_id = item.payout_id, decided_at = item.instant, recipient_encrypted = null
    from unnest(is_granted, order_ids, payout_ids, instants) as item (granted, order_id, payout_id, instant)
    where item.granted and r.order_id = item.order_id and r.state = 'open'
    returning r.*
  )
  insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at, snapshot)
  select s.partner_id, s.environment, 'payout_request.approved', s.id, 2, s.decided_at,
    kelpie.payout_request_snapshot(row(s.*)::kelpie.payout_requests)
  from settled s
  order by s.order_id;
end;
$$;
