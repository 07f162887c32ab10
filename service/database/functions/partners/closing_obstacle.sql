-- Why a partner's account can't be closed yet, by what its live environment still has or owes; null where it can.
--   payouts_open      a payout is not final
--   cases_open        a case about its money is open
--   wallet_not_empty  the wallet holds money
--   suspense          money of it is not assigned yet
--   deposit_pending   a top-up is on its way
--   debt              it owes for a deposit that was reversed
--   invoices_unpaid   an invoice is not paid
-- For a role that sees the partner's rows: the reading role, or the partner's own context. Volatile, so that after a lock it
-- sees what was committed while its caller waited.
-- Callers: kelpie_reader, kelpie_payouts
create or replace function kelpie.closing_obstacle(of_partner uuid) returns text
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when exists (
      select from kelpie.payout_leases o where o.partner_id = of_partner and o.environment = 'live'
    ) then 'payouts_open'
    when exists (
      select from kelpie.cases c
      where c.partner_id = of_partner and c.environment = 'live' and c.closed_at is null and c.gone_at is null
    ) then 'cases_open'
    when exists (
      select from kelpie.wallets w
      where w.partner_id = of_partner and w.environment = 'live' and w.balance_micro_usdc > 0
    ) then 'wallet_not_empty'
    when (
      select sum(e.amount) from kelpie.booked_entries e
      where e.partner_id = of_partner and e.environment = 'live' and e.account = 'suspense'
    ) <> 0 then 'suspense'
    when exists (
      select from kelpie.deposits d where d.partner_id = of_partner and d.environment = 'live' and d.state = 'pending'
    ) then 'deposit_pending'
    when (
      select sum(d.owed_micro_usdc - d.repaid_micro_usdc) from kelpie.deposits d
      where d.partner_id = of_partner and d.environment = 'live'
    ) > 0 then 'debt'
    when exists (
      select from kelpie.invoices i
      where i.partner_id = of_partner and i.status in ('issued', 'overdue') and i.paid_pence < i.total_pence
    ) then 'invoices_unpaid'
  end;
end;
$$;
