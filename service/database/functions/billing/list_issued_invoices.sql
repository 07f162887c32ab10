-- Lists a partner's invoices with their lines, newest period first, from `from_period` on. A non-null `of_id` selects one.
-- Only the live environment has invoices.
-- Callers: everyone
create or replace function kelpie.list_issued_invoices(of_partner uuid, from_period text, of_id uuid, at_most integer)
  returns table (
    id uuid, number bigint, period text, begins_at timestamptz, ends_at timestamptz, status text, billed_to_name text,
    billed_to_email text, total_pence bigint, carried_in_pence bigint, carried_out_pence bigint, issued_at timestamptz,
    due_at timestamptz, paid_pence bigint, paid_on text, voided_at timestamptz, lines jsonb
  )
  language plpgsql volatile
as $$
begin
  perform kelpie.set_partner_context(of_partner, 'live');
  return query
    select i.id, i.number, i.period, i.begins_at, i.ends_at, i.status, i.billed_to_name, i.billed_to_email, i.total_pence,
      i.carried_in_pence, i.carried_out_pence, i.issued_at, i.due_at, i.paid_pence, i.paid_on::text, i.voided_at, (
        select jsonb_agg(
          jsonb_build_array(l.kind, l.description, l.quantity::text, l.unit_price_pence::text, l.amount_pence::text, l.items::text)
          order by l.place
        )
        from kelpie.invoice_lines l where l.invoice_id = i.id
      )
    from kelpie.invoices i
    where i.partner_id = of_partner and i.period >= from_period and (of_id is null or i.id = of_id)
    order by i.period desc limit at_most;
end;
$$;
