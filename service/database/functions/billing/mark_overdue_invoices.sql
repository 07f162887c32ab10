-- Marks issued invoices as overdue whose due day in London is over and of which something is left to pay, at most 500.
-- Guarantees: an invoice is marked once. One that is being paid or voided right now is left to the next call.
-- Locks: these invoices.
-- Returns them, so that the caller emails their partners in the same transaction.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.mark_overdue_invoices(at timestamptz, at_most integer)
  returns table (partner_id uuid, invoice_id uuid)
  language sql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
  update kelpie.invoices i set status = 'overdue', overdue_at = at
  where i.id in (
    select d.id from kelpie.invoices d
    where d.status = 'issued' and d.paid_pence < d.total_pence
      and d.due_at < kelpie.london_day(at)::timestamp at time zone 'Europe/London'
    order by d.due_at, d.id limit least(at_most, 500) for no key update skip locked
  )
  returning i.partner_id, i.id
$$;
