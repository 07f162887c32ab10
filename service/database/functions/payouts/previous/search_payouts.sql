-- A partner's payouts that match a search, newest first. A null filter matches all. It looks at `max_scanned` payouts at most.
-- Where it stopped before it had looked at all of them, the last row has the id of the last one, and nothing else.
-- Callers: everyone
create or replace function kelpie.search_payouts(
  of_partner uuid,
  of_environment kelpie.environment,
  from_id uuid,
  before_id uuid,
  of_states kelpie.payout_state[],
  of_reference text,
  of_order_id uuid,
  of_account_last4 text,
  of_created_via text,
  at_most integer,
  max_scanned integer
) returns setof kelpie.shown_payout
  language plpgsql volatile
as $$
declare
  upto_id uuid := before_id;
  found_rows integer;
  last_scanned uuid;
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  if of_order_id is not null then
    -- A key stands for one payout, so there is nothing to search.
    select k.payout_id into upto_id from kelpie.idempotency_keys k where k.order_id = of_order_id;
    if not found then
      return;
    end if;
    from_id := greatest(from_id, upto_id);
  end if;
  return query
    select p.id, p.state, p.reference, p.bank_reference, p.amount_pence, p.fee_pence, p.wallet_debit_micro_usdc,
      p.recipient_name, p.account_last4, p.failure_code, p.failure_reason, p.updated_at, p.created_via,
      p.idempotency_key
    from (
      select * from kelpie.visible_payouts each
      where each.partner_id = of_partner and each.environment = of_environment
        and each.id >= from_id and each.id < before_id and each.id <= upto_id
      order by each.id desc limit max_scanned
    ) p
    where (of_states is null or p.state = any (of_states))
      and (of_reference is null or p.reference = of_reference)
      and (of_account_last4 is null or p.account_last4 = of_account_last4)
      and (of_created_via is null or p.created_via = of_created_via)
    order by p.id desc limit at_most;
  get diagnostics found_rows = row_count;
  if found_rows < at_most and of_order_id is null then
    select p.id into last_scanned from kelpie.visible_payouts p
    where p.partner_id = of_partner and p.environment = of_environment and p.id >= from_id and p.id < before_id
    order by p.id desc offset max_scanned - 1 limit 1;
    if found then
      return next (
        last_scanned, null, null, null, null, null, null, null, null, null, null, null, null, null
      )::kelpie.shown_payout;
    end if;
  end if;
end;
$$;
