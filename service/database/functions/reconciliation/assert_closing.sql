-- Refuses to close a case with an act that was not done (KP418). A case about money says which act settled it:
--   released, settled, adopted   that act on an attempt of its order was approved, since the case was opened. A payment
--                                that the case names is adopted, too, where the partner's retry or an import took it over
--   corrected                    a correction was booked for it, or for a case that can be about the same money
--   none                         its difference is gone, or it is not about money
-- Callers: everyone
create or replace function kelpie.assert_closing(of_case kelpie.cases, new_act text) returns void
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
declare
  payout kelpie.payouts;
  is_done boolean;
begin
  select p.* into payout from kelpie.payouts p where p.id = coalesce(of_case.payout_id, of_case.related_id);
  is_done := case new_act
    when 'corrected' then exists (
      select from kelpie.case_history h join kelpie.cases c on c.id = h.case_id
      left join kelpie.payouts p on p.id = coalesce(c.payout_id, c.related_id)
      where h.what = 'corrected' and c.partner_id = of_case.partner_id and c.environment = of_case.environment and (
        c.id = of_case.id or (h.at >= of_case.opened_at and (
          p.order_id = payout.order_id
          -- What a line differs by is part of what its balance differs by.
          or c.kind = 'wallet_balance' or of_case.kind = 'wallet_balance'
        ))
      )
    )
    when 'none' then kelpie.is_gone(of_case, payout)
    else exists (
      select from kelpie.proposals a join kelpie.payouts p on p.id::text = a.subject
      where a.action = case new_act
          when 'released' then 'payout.release' when 'settled' then 'payout.settle' when 'adopted' then 'payout.adopt'
        end
        and a.outcome = 'done' and a.decided_at >= of_case.opened_at
        and p.order_id = payout.order_id and p.partner_id = of_case.partner_id
    ) or (new_act = 'adopted' and exists (
      select from kelpie.idempotency_keys k join kelpie.payouts p on p.id = k.payout_id
      where k.order_id = payout.order_id and k.partner_id = of_case.partner_id
        and position(p.bank_payment_id in of_case.detail) > 0
    ))
  end;
  if is_done is not true then
    raise exception 'the act was not done' using errcode = 'KP418';
  end if;
end;
$$;
