-- Of payments at the bank, each with its order, those that an operator has booked by a correction: of the payment itself, or
-- of the payout that its order stands for. A correction and an import would book the same money twice.
-- Returns the orders.
-- Callers: everyone
create or replace function kelpie.find_corrected_orders(
  of_partner uuid, of_environment kelpie.environment, payment_ids text[], order_ids uuid[]
) returns setof uuid
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, of_environment);
  return query
    select distinct item.order_id
    from unnest(payment_ids, order_ids) as item (payment_id, order_id)
    left join kelpie.idempotency_keys k on k.order_id = item.order_id
    join kelpie.cases c on c.partner_id = of_partner and c.environment = of_environment
      and (c.subject = item.payment_id or c.payout_id = k.payout_id)
    join kelpie.case_history h on h.case_id = c.id and h.what = 'corrected';
end;
$$;
