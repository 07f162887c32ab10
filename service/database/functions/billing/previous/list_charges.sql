-- Lists what was posted in pounds for a partner between two ids, from the entry after a place on; only those with one of
-- the given reasons, where there are any.
-- Callers: everyone
create or replace function kelpie.list_charges(
  of_partner uuid, from_id uuid, before_id uuid, of_reasons text[], after_transfer uuid, after_line integer, at_most integer
) returns table (
  transfer_id uuid, line smallint, reason text, amount bigint, cause_id uuid, payout_id uuid, reference text,
  payout_amount_pence bigint
)
  language plpgsql volatile
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
begin
  perform kelpie.set_partner_context(of_partner, 'live');
  return query
    select c.transfer_id, c.line, c.reason, c.amount, c.cause_id, p.id, p.reference, p.amount_pence
    from (
      select e.transfer_id, e.line, e.reason, e.amount, e.cause_id
      from kelpie.ledger_entries e
      where e.partner_id = of_partner and e.transfer_id >= greatest(from_id, after_transfer) and e.transfer_id < before_id
        and e.account in ('receivable', 'credit_due', 'accrued') and e.environment = 'live'
        and e.reason not like 'invoice.%' and (of_reasons is null or e.reason = any (of_reasons))
        and (e.transfer_id, e.line::integer) > (after_transfer, after_line)
      order by e.transfer_id, e.line limit at_most
    ) c
    left join kelpie.payouts p on p.id = c.cause_id
    order by c.transfer_id, c.line;
end;
$$;
