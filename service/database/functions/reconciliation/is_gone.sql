-- Whether nothing is left of what a case is about: its difference is gone or is not about an amount, its payout came to its
-- end, or the balance was compared since and is equal.
-- Callers: everyone
create or replace function kelpie.is_gone(of_case kelpie.cases, payout kelpie.payouts) returns boolean
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
declare
  is_equal boolean := coalesce((
    select m.difference = 0
    from kelpie.measured_difference(of_case.partner_id, of_case.environment, coalesce(of_case.last_seen_at, of_case.opened_at)) m
  ), false);
begin
  if of_case.payout_id is null then
    return of_case.gone_at is not null or coalesce(of_case.difference_micro_usdc, 0) = 0
      or (of_case.kind <> 'wallet_balance' and is_equal);
  end if;
  -- Money is still held, or in transit.
  if payout.state in ('sending', 'pending', 'processing')
    or (payout.state = 'failed' and payout.bank_payment_id is not null and payout.bank_refunded_micro_usdc is null) then
    return false;
  end if;
  -- What came back in question waits in suspense until a correction moves it on.
  if exists (
    select from kelpie.ledger_entries l
    where l.account = 'suspense' and l.partner_id = of_case.partner_id and l.environment = of_case.environment
      and (l.cause_id = payout.id or l.cause_id in (select c.id from kelpie.cases c where c.payout_id = payout.id))
    having sum(l.amount) <> 0
  ) then
    return false;
  end if;
  -- These are settled by the payout's end. All others are about what the bank did besides.
  return is_equal or (payout.state <> 'not_created' and of_case.kind in (
    'not_found_at_bank', 'absent_at_bank', 'bank_needs_attention', 'arrived_without_amount', 'refunded_without_amount',
    'cancelled_without_refund', 'taken_differs', 'cost_not_believed', 'refund_differs', 'return_differs'
  ));
end;
$$;
