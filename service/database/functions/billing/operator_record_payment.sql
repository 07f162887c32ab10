-- Records what a partner paid of an invoice, for an operator. Requires an entry of that act in the audit log in the same
-- transaction.
-- Guarantees: a transfer at our bank is recorded once, by the bank's own id of it. The payments of an invoice never exceed
--   its total, and settle it when they reach it. Cash, receivable and the event of a settled invoice
--   are in the same transaction.
-- Returns one row: the outcome, and what is left to pay. Only `paid` and `part_paid` have changed something. Otherwise:
--   no_invoice          there is no such invoice
--   recorded_before     the same transfer, with this amount for this invoice
--   recorded_otherwise  the same transfer, with another amount or for another invoice
--   not_open            the invoice is paid or void
--   wrong_date          received before the invoice was issued, or in the future
--   too_much            more than is left to pay
-- Locks: the invoice, then what post_transfers locks.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.operator_record_payment(
  of_invoice uuid, new_transfer uuid, amount bigint, received date, new_reference text, at timestamptz
) returns table (outcome text, left_pence bigint)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  by_whom text := kelpie.require_audit('invoice.pay', of_invoice::text);
  invoice kelpie.invoices;
  known kelpie.invoice_payments;
begin
  -- Two payments of one invoice run one after the other: the second sees what the first left to pay.
  select i.* into invoice from kelpie.invoices i where i.id = of_invoice for no key update;
  select p.* into known from kelpie.invoice_payments p where p.bank_reference = new_reference;
  left_pence := invoice.total_pence - invoice.paid_pence;
  outcome := case
    when invoice.id is null then 'no_invoice'
    when known.invoice_id = of_invoice and known.amount_pence = amount then 'recorded_before'
    when known.invoice_id is not null then 'recorded_otherwise'
    when invoice.status not in ('issued', 'overdue') then 'not_open'
    when received < kelpie.london_day(invoice.issued_at) or received > kelpie.london_day(at) then 'wrong_date'
    when amount > left_pence then 'too_much'
    when amount = left_pence then 'paid'
    else 'part_paid'
  end;
  if outcome not in ('paid', 'part_paid') then
    return next;
    return;
  end if;
  insert into kelpie.invoice_payments (
    invoice_id, partner_id, bank_reference, amount_pence, received_on, transfer_id, at, by
  ) values (of_invoice, invoice.partner_id, new_reference, amount, received, new_transfer, at, by_whom)
  on conflict do nothing;
  if not found then
    -- Another transaction recorded the same transfer for another invoice a moment ago.
    outcome := 'recorded_otherwise';
    return next;
    return;
  end if;
  left_pence := left_pence - amount;
  update kelpie.invoices i
  set paid_pence = i.paid_pence + amount,
    status = case when left_pence = 0 then 'paid' else i.status end,
    paid_on = case when left_pence = 0 then (
      select max(p.received_on) from kelpie.invoice_payments p where p.invoice_id = of_invoice
    ) end
  where i.id = of_invoice;
  perform kelpie.set_partner_context(invoice.partner_id, 'live');
  perform from kelpie.post_transfers(
    array[new_transfer, new_transfer], array[1, 2]::smallint[], array[invoice.partner_id, invoice.partner_id],
    array['live', 'live']::kelpie.environment[], array['cash', 'receivable']::kelpie.ledger_account[],
    array[amount, -amount], array['invoice.paid', 'invoice.paid'], array[of_invoice, of_invoice]
  );
  if left_pence = 0 then
    perform kelpie.add_event('invoice.paid', 'live', i.id, 3, operator_record_payment.at, kelpie.invoice_snapshot(i))
    from kelpie.invoices i where i.id = of_invoice;
  end if;
  return next;
end;
$$;
