-- Records that a payout waits for a second admin: the part of a refused creation that stays. It holds no money.
-- Guarantees: an Idempotency-Key has one open request, and none beside a payout: the key is claimed while we look, as
--   create_payouts claims it. At most 500 requests of a partner's environment wait.
-- Returns one row. The outcome is `opened`, `known` (the key's newest request, whatever became of it), `not_needed` (by the
-- rules of now, or because the key has a payout: the caller creates it again) or `too_many`. `asked_lately` counts the requests
-- of the hour before, up to 20.
-- Locks: the idempotency key, then the request.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.open_payout_request(
  new_id uuid, of_order uuid, of_key text, of_fingerprint bytea, new_digest bytea, of_amount bigint, of_reference text,
  of_name text, of_last4 text, of_recipient bytea, of_account bytea, via text, of_caller uuid, by text, until timestamptz,
  at timestamptz
) returns table (outcome text, request_id uuid, asked_lately bigint)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  of_partner uuid := kelpie.current_partner();
  of_environment kelpie.environment := kelpie.current_environment();
  api_key uuid := case when via = 'api' then of_caller end;
  known kelpie.payout_requests;
  why text[];
begin
  insert into kelpie.idempotency_keys (
    order_id, partner_id, environment, key, payout_id, fingerprint, round_began_at, claimed_at
  )
  values (of_order, of_partner, of_environment, of_key, new_id, of_fingerprint, at, at)
  on conflict (order_id) do nothing;
  delete from kelpie.idempotency_keys k where k.order_id = of_order and k.payout_id = new_id;
  select r.* into known from kelpie.payout_requests r where r.order_id = of_order order by r.id desc limit 1 for update;
  if found and known.state <> 'approved' then
    return query select 'known', known.id, 0::bigint;
    return;
  end if;
  why := kelpie.approval_reasons(of_partner, of_environment, api_key, of_amount, of_account);
  if why = '{}' or exists (
    select from kelpie.idempotency_keys k join kelpie.payouts p on p.id = k.payout_id
    where k.order_id = of_order and p.state <> 'not_created'
  ) then
    return query select 'not_needed', null::uuid, 0::bigint;
    return;
  end if;
  if (
    select count(*) from (
      select from kelpie.payout_requests r
      where r.partner_id = of_partner and r.environment = of_environment and r.state = 'open' and r.id > kelpie.first_id_at(at - interval '73 hours')
      limit 500
    ) waiting
  ) >= 500 then
    return query select 'too_many', null::uuid, 0::bigint;
    return;
  end if;
  return query
    with lately as (
      select count(*) as requests from (
        select from kelpie.payout_requests r
        where r.partner_id = of_partner and r.environment = of_environment and r.id > kelpie.first_id_at(at - interval '1 hour')
        limit 20
      ) r
    ), opened as (
      insert into kelpie.payout_requests (
        id, partner_id, environment, order_id, idempotency_key, fingerprint, digest, state, reasons, amount_pence, reference,
        recipient_name, account_last4, recipient_encrypted, account_index, requested_via, caller_id, requested_by, requester,
        expires_at
      )
      values (
        new_id, of_partner, of_environment, of_order, of_key, of_fingerprint, new_digest, 'open', why, of_amount, of_reference,
        of_name, of_last4, of_recipient, of_account, via, of_caller, by,
        case when via = 'dashboard' then by else (select k.created_by from kelpie.api_keys k where k.id = of_caller) end, until
      )
      returning *
    ), event as (
      insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at, snapshot)
      select o.partner_id, o.environment, 'payout_request.created', o.id, 1, at,
        kelpie.payout_request_snapshot(row(o.*)::kelpie.payout_requests)
      from opened o
    )
    select 'opened', o.id, l.requests from opened o cross join lately l;
end;
$$;
