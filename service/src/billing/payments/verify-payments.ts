import type { DifferenceRow, IdSpan } from '../../ledger/index.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

/** Each payment and each void invoice is held against its own transfer, and an invoice against its payments. */
const paymentsSql = `
  with paid as (
    select i.id, i.number, i.status, i.paid_pence, i.paid_on, coalesce(sum(p.amount_pence), 0) as pence, max(p.received_on) as last_on
    from kelpie.invoices i left join kelpie.invoice_payments p on p.invoice_id = i.id
    where (i.id >= $1 and i.id < $2)
      or i.id in (select o.invoice_id from kelpie.invoice_payments o where o.transfer_id >= $1 and o.transfer_id < $2)
    group by i.id
  ),
  booked as (
    select e.transfer_id, e.partner_id, e.cause_id, coalesce(sum(e.amount) filter (where e.account = 'cash'), 0) as cash,
      coalesce(sum(e.amount) filter (where e.account = 'receivable'), 0) as receivable,
      coalesce(sum(e.amount) filter (where e.account = 'credit_due'), 0) as credit_due
    from kelpie.ledger_entries e
    where e.transfer_id >= $1 and e.transfer_id < $2 and (
      e.reason in ('invoice.paid', 'invoice.voided')
      -- The same reason takes back credit of a payout, in the transfer of its return.
      or (e.reason = 'credit.voided_invoice' and exists (select from kelpie.invoices i where i.id = e.cause_id))
    )
    group by 1, 2, 3
  ),
  expected as (
    select p.transfer_id, p.partner_id, p.invoice_id, p.amount_pence as cash, -p.amount_pence as receivable, 0::bigint as credit_due
    from kelpie.invoice_payments p where p.transfer_id >= $1 and p.transfer_id < $2
    union all
    select i.void_transfer_id, i.partner_id, i.id, 0, -i.total_pence, i.total_pence - (
      select coalesce(sum(l.amount_pence), 0) from kelpie.invoice_lines l where l.invoice_id = i.id and l.kind <> 'credit'
    )
    from kelpie.invoices i where i.void_transfer_id >= $1 and i.void_transfer_id < $2
  )
  select 'invoice is not what was paid' as kind, number::text as what, pence || ' until ' || coalesce(last_on::text, 'never') as expected,
    paid_pence || ' until ' || coalesce(paid_on::text, 'never') as found
  from paid where pence <> paid_pence or (status = 'paid' and paid_on is distinct from last_on)
  union all
  select 'payment or void invoice is not what was booked', coalesce(x.invoice_id, b.cause_id)::text,
    coalesce(x.cash || ' cash, ' || x.receivable || ' receivable, ' || x.credit_due || ' credit', 'none'),
    coalesce(b.cash || ' cash, ' || b.receivable || ' receivable, ' || b.credit_due || ' credit', 'none')
  from expected x full join booked b on b.transfer_id = x.transfer_id and b.partner_id = x.partner_id and b.cause_id = x.invoice_id
  where (x.cash, x.receivable, x.credit_due) is distinct from (b.cash, b.receivable, b.credit_due)
  union all
  select 'void invoice booked nothing', i.number::text, 'a transfer', 'none'
  from kelpie.invoices i
  where i.id >= $1 and i.id < $2 and i.status = 'void' and i.void_transfer_id is null and (
    i.total_pence > 0 or exists (select from kelpie.invoice_lines l where l.invoice_id = i.id and l.kind <> 'credit' and l.amount_pence > 0)
  )
  limit $3`;

/** Every payment of an invoice and every void one that was booked in a span is in the ledger, once and as it was recorded. */
export async function verifyPayments(tx: Transaction, span: IdSpan, most: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(paymentsSql, [span.first, span.before, most]);
  return rows;
}

/** Of each partner: the months that no invoice covers yet are left out. */
const outstandingSql = `
  with balances as (
    select b.partner_id, coalesce(sum(e.amount) filter (where e.account = 'receivable'), 0) as receivable,
      coalesce(-sum(e.amount) filter (where e.account = 'credit_due'), 0) as credit
    from kelpie.closed_books b
    left join kelpie.booked_entries e on e.partner_id = b.partner_id and e.account in ('receivable', 'credit_due')
      and (e.transfer_id < kelpie.first_id_at(b.closed_until) or e.reason like 'invoice.%')
    group by 1
  ),
  owed as (
    select b.partner_id, coalesce(sum(i.total_pence - i.paid_pence) filter (where i.status <> 'void'), 0) as receivable,
      coalesce((array_agg(i.carried_out_pence order by i.period desc))[1], 0) as credit
    from kelpie.closed_books b left join kelpie.invoices i on i.partner_id = b.partner_id
    group by 1
  )
  select 'receivable or credit is not what invoices say' as kind, o.partner_id::text as what,
    o.receivable || ' receivable, ' || o.credit || ' credit' as expected, b.receivable || ' receivable, ' || b.credit || ' credit' as found
  from owed o join balances b using (partner_id) where (o.receivable, o.credit) is distinct from (b.receivable, b.credit)
  limit $1`;

/** What is not paid of a partner's invoices is what is receivable, and what they carry over is the credit that is due. */
export async function verifyOutstanding(tx: Transaction, most: number): Promise<DifferenceRow[]> {
  const { rows } = await tx.query<DifferenceRow>(outstandingSql, [most]);
  return rows;
}
