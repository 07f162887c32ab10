-- Marks issued invoices as overdue whose due day in London is over and of which something is left to pay, at most 500.
-- Guarantees: an invoice is marked once, with its event. One that is being paid or voided right now is left to the next call.
-- Locks: these invoices.
-- Returns them, so that the caller emails their partners in the same transaction.
-- Owner: kelpie_payouts
-- Callers: kelpie_service
create or replace function kelpie.mark_overdue_invoices(at timestamptz, at_most integer)
  returns table (partner_id uuid, invoice_id uuid)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  marked uuid[];
begin
  with changed as (
    update kelpie.invoices i set status = 'overdue', overdue_at = mark_overdue_invoices.at
    where i.id in (
      select d.id from kelpie.invoices d
      where d.status = 'issued' and d.paid_pence < d.total_pence
        and d.due_at < kelpie.london_day(mark_overdue_invoices.at)::timestamp at time zone 'Europe/London'
      order by d.due_at, d.id limit least(at_most, 500) for no key update skip locked
    )
    returning i.id
  )
  select array_agg(c.id) into marked from changed c;
  insert into kelpie.unnumbered_events (partner_id, environment, type, subject_id, version, at, snapshot)
  select i.partner_id, 'live', 'invoice.overdue', i.id, 2, mark_overdue_invoices.at, kelpie.invoice_snapshot(i)
  from kelpie.invoices i where i.id = any (marked) order by i.id;
  return query select i.partner_id, i.id from kelpie.invoices i where i.id = any (marked);
end;
$$;
