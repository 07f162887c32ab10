-- Outside a transaction
alter table kelpie.payouts validate constraint payouts_whole;
alter table kelpie.payouts validate constraint payouts_erased;
