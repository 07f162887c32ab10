-- Voids an invoice, which one operator proposed and another approves: its charges are cancelled, and the credit that it
-- used is due again. Its month stays closed, and no other invoice is issued for it.
-- Guarantees: nothing was paid of it, and nothing that was charged on it was credited since. What is credited for it later
--   is taken back at once (void_credit_lines).
-- Raises what take_proposal raises. Returns `void`, or why it is not:
--   not_open      it is paid or void, or there is no such invoice
--   has_payments  a part of it is paid
--   has_credits   a payout on it has returned, and its fee was credited
-- Locks: the proposal, the invoice, the partner's books exclusively: a return that is being booked is waited for.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_void_invoice(of_proposal uuid, of_invoice uuid, new_transfer uuid, at timestamptz)
  returns text
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'invoice.void', of_invoice::text, at);
  invoice kelpie.invoices;
  credit_used bigint;
  entries record;
begin
  select i.* into invoice from kelpie.invoices i where i.id = of_invoice for no key update;
  if invoice.id is null or invoice.status not in ('issued', 'overdue') then
    return 'not_open';
  elsif invoice.paid_pence > 0 then
    return 'has_payments';
  end if;
  perform pg_advisory_xact_lock(kelpie.books_key(invoice.partner_id));
  perform kelpie.set_partner_context(invoice.partner_id, 'live');
  if exists (
    select from kelpie.ledger_entries e join kelpie.payouts p on p.id = e.cause_id
    where e.partner_id = invoice.partner_id and e.transfer_id >= kelpie.first_id_at(invoice.ends_at)
      and e.account = 'credit_due' and e.reason = 'credit.payout_fees'
      and p.completed_at >= invoice.begins_at and p.completed_at < invoice.ends_at
  ) then
    return 'has_credits';
  end if;
  select coalesce(sum(l.amount_pence), 0) - invoice.total_pence into credit_used
  from kelpie.invoice_lines l where l.invoice_id = of_invoice and l.kind <> 'credit';
  -- The credit counts in the open month, as any other that is given now.
  select array_agg(l.line order by l.line) as lines, array_agg(l.account order by l.line) as accounts,
    array_agg(l.amount order by l.line) as amounts, array_agg(l.reason order by l.line) as reasons, count(*)::integer as total
  into entries
  from (
    select row_number() over (order by v.place)::smallint as line, v.account, v.amount, v.reason
    from (
      values (1, 'revenue'::kelpie.ledger_account, invoice.total_pence, 'invoice.voided'),
        (2, 'receivable', -invoice.total_pence, 'invoice.voided'),
        (3, 'revenue', credit_used, 'credit.voided_invoice'), (4, 'credit_due', -credit_used, 'credit.voided_invoice')
    ) as v (place, account, amount, reason)
    where v.amount <> 0
  ) l;
  if entries.total > 0 then
    perform from kelpie.post_transfers(
      array_fill(new_transfer, array[entries.total]), entries.lines,
      array_fill(invoice.partner_id, array[entries.total]), array_fill('live'::kelpie.environment, array[entries.total]),
      entries.accounts, entries.amounts, entries.reasons, array_fill(of_invoice, array[entries.total])
    );
  end if;
  update kelpie.invoices i
  set status = 'void', voided_at = at, void_transfer_id = case when entries.total > 0 then new_transfer end
  where i.id = of_invoice;
  return 'void';
end;
$$;
