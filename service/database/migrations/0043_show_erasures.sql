-- With the columns that were added since: when a payout's recipient was erased tells who keeps payouts in memory.
create or replace view kelpie.visible_payouts with (security_invoker = true) as
  select * from kelpie.payouts where kelpie.is_visible(state);
