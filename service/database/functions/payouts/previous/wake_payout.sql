-- For the version before, which wakes one payout at a time.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.wake_payout(
  of_environment kelpie.environment, of_order_id uuid, payment_id text, at timestamptz, is_under_way boolean
) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  claim record;
begin
  select k.payout_id, k.partner_id, k.environment into claim
  from kelpie.idempotency_keys k
  where k.order_id = of_order_id and k.environment = of_environment;
  if not found then
    return false;
  end if;
  if is_under_way and exists (
    select from kelpie.payouts p
    where p.id = claim.payout_id and p.state = 'processing' and p.bank_payment_id = wake_payout.payment_id
      and p.bank_debited_micro_usdc is not null
  ) then
    return true;
  end if;
  insert into kelpie.payout_leases as o (payout_id, partner_id, environment, due_at, leased_until, webhook_payment_id)
  values (claim.payout_id, claim.partner_id, claim.environment, at, '-infinity', wake_payout.payment_id)
  on conflict (payout_id) do update
  set due_at = least(o.due_at, at), webhook_payment_id = excluded.webhook_payment_id;
  return true;
end;
$$;
