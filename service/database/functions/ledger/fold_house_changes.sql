-- Adds what was posted since the last call to the sums of the house's accounts, and to what the day lost.
-- Guarantees: each change counts once. The first call ever begins with the sums of the ledger itself: what it sees of the
--   ledger is what it sees of the changes, because both are written by one transaction and read by one statement.
-- Locks: one call at a time.
-- Owner: kelpie_ledger
-- Callers: kelpie_service
create or replace function kelpie.fold_house_changes() returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('kelpie.house_sums', 0));
  if exists (select from kelpie.house_sums) then
    with gone as (delete from kelpie.house_changes c returning c.*),
    losses as (
      insert into kelpie.daily_losses as d (environment, on_day, loss_micro_usdc)
      select g.environment, g.on_day, sum(g.amount) from gone g where g.account in ('fx', 'exception_loss')
      group by g.environment, g.on_day
      on conflict (environment, on_day) do update set loss_micro_usdc = d.loss_micro_usdc + excluded.loss_micro_usdc
    )
    insert into kelpie.house_sums as s (partner_id, environment, account, sum_micro_usdc)
    select g.partner_id, g.environment, g.account, sum(g.amount) from gone g
    group by g.partner_id, g.environment, g.account
    on conflict (partner_id, environment, account) do update set sum_micro_usdc = s.sum_micro_usdc + excluded.sum_micro_usdc;
  else
    with gone as (delete from kelpie.house_changes c returning c.*),
    losses as (
      insert into kelpie.daily_losses (environment, on_day, loss_micro_usdc)
      select g.environment, g.on_day, sum(g.amount) from gone g where g.account in ('fx', 'exception_loss')
      group by g.environment, g.on_day
    )
    insert into kelpie.house_sums (partner_id, environment, account, sum_micro_usdc)
    select e.partner_id, e.environment, e.account, sum(e.amount)
    from (
      select l.partner_id, l.environment, l.account, l.amount from kelpie.booked_entries l
      where l.account = any (kelpie.house_accounts())
      union all
      select w.partner_id, w.environment, 'house_float', 0 from kelpie.wallets w
    ) e
    group by e.partner_id, e.environment, e.account;
  end if;
end;
$$;
