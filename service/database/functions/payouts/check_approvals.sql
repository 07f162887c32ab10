-- The part of create_payouts for partners with approval rules: releases the key of each payout that a second admin has to
-- approve, and did not.
-- Guarantees: a payout that was asked for once is created only as it was approved, whatever the rules are by now, and never
--   after it was declined or has expired. One whose request was approved is tried again under that approval.
-- Locks: requests, in the order of their order id.
-- Callers: kelpie_payouts
create or replace function kelpie.check_approvals(
  inout outcomes text[],
  inout is_claimed boolean[],
  partner_ids uuid[],
  environments kelpie.environment[],
  api_key_ids uuid[],
  payout_ids uuid[],
  order_ids uuid[],
  fingerprints bytea[],
  instants timestamptz[],
  amounts_pence bigint[],
  account_indexes bytea[]
)
  language plpgsql volatile
as $$
declare
  item record;
  request kelpie.payout_requests;
begin
  for item in
    select i.place, i.order_id from unnest(order_ids, partner_ids, environments) with ordinality as i (order_id, partner_id, environment, place)
    where is_claimed[i.place] and exists (
      select from kelpie.approval_rules r where r.partner_id = i.partner_id and r.environment = i.environment
    )
    order by i.order_id
  loop
    select r.* into request from kelpie.payout_requests r where r.order_id = item.order_id order by r.id desc limit 1 for update;
    if found and request.fingerprint = fingerprints[item.place]
      and (request.state = 'approved' or kelpie.is_approved_now(request, instants[item.place])) then
      continue;
    end if;
    -- Its key stands for the request, unless the bank refused what was approved.
    if (found and request.state <> 'approved') or kelpie.approval_reasons(
      partner_ids[item.place], environments[item.place], api_key_ids[item.place], amounts_pence[item.place],
      account_indexes[item.place]
    ) <> '{}' then
      is_claimed[item.place] := false;
      outcomes[item.place] := 'approval_required';
      delete from kelpie.idempotency_keys k where k.order_id = item.order_id and k.payout_id = payout_ids[item.place];
    end if;
  end loop;
end;
$$;
