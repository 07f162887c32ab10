-- Returns an invoice as the API shows it now, for an event.
-- Callers: kelpie_service, kelpie_payouts
create or replace function kelpie.invoice_snapshot(i kelpie.invoices) returns jsonb
  language sql stable
as $$
  select jsonb_build_object(
    'object', 'invoice', 'id', i.id, 'number', 'KP-' || lpad(i.number::text, greatest(6, length(i.number::text)), '0'),
    'period', i.period, 'status', i.status,
    'billed_to', jsonb_build_object('name', i.billed_to_name, 'email', i.billed_to_email),
    'total_gbp', kelpie.money_text(i.total_pence), 'carried_over_gbp', kelpie.money_text(i.carried_out_pence),
    'issued_at', kelpie.instant_text(i.issued_at), 'due_at', kelpie.instant_text(i.due_at),
    'paid_gbp', kelpie.money_text(i.paid_pence), 'paid_on', i.paid_on, 'voided_at', kelpie.instant_text(i.voided_at),
    'lines', (
      select coalesce(jsonb_agg(
        jsonb_build_object(
          'kind', l.kind, 'description', l.description, 'quantity', l.quantity,
          'unit_price_gbp', kelpie.money_text(l.unit_price_pence), 'amount_gbp', kelpie.money_text(l.amount_pence), 'items', l.items
        )
        order by l.place
      ), '[]')
      from kelpie.invoice_lines l where l.invoice_id = i.id
    )
  )
$$;
