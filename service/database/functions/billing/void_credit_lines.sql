-- The lines that take back what a batch credits for payouts whose invoice was voided since: their fees were cancelled then,
-- and would be given back twice otherwise. Each is the opposite of the credit's own line, in the same transfer.
-- Guarantees: an invoice is voided either before this looks, or after the batch has committed; and not at all then.
-- Locks: the books of these partners, shared, in order, as post_transfers does.
-- Callers: kelpie_payouts
create or replace function kelpie.void_credit_lines(
  partner_ids uuid[],
  payout_ids uuid[],
  entry_payouts integer[],
  entry_transfers uuid[],
  entry_lines smallint[],
  entry_accounts kelpie.ledger_account[],
  entry_amounts bigint[],
  entry_reasons text[]
) returns table (
  payouts integer[], transfers uuid[], lines smallint[], accounts kelpie.ledger_account[], amounts bigint[], reasons text[]
)
  language plpgsql volatile
as $$
begin
  perform pg_advisory_xact_lock_shared(kelpie.books_key(target.partner_id))
  from (
    select distinct partner_ids[entry.place] as partner_id from unnest(entry_payouts, entry_reasons) as entry (place, reason)
    where entry.reason = 'credit.payout_fees' order by 1
  ) target;
  -- A separate statement has a new snapshot, so it sees an invoice that was voided while this waited.
  return query
    select array_agg(l.place), array_agg(l.transfer_id), array_agg(l.line), array_agg(l.account), array_agg(-l.amount),
      array_agg('credit.voided_invoice'::text)
    from (
      select entry.place, entry.transfer_id, entry.account, entry.amount, (
          last.line + row_number() over (partition by entry.transfer_id order by entry.line)
        )::smallint as line
      from unnest(entry_payouts, entry_transfers, entry_lines, entry_accounts, entry_amounts, entry_reasons)
        as entry (place, transfer_id, line, account, amount, reason)
      join (
        select e.transfer_id, max(e.line) as line from unnest(entry_transfers, entry_lines) as e (transfer_id, line) group by 1
      ) last on last.transfer_id = entry.transfer_id
      join kelpie.payouts p on p.id = payout_ids[entry.place]
      where entry.reason = 'credit.payout_fees' and exists (
        select from kelpie.invoices i
        where i.partner_id = p.partner_id and i.status = 'void' and p.completed_at >= i.begins_at and p.completed_at < i.ends_at
      )
    ) l;
end;
$$;
