-- Outside a transaction
-- Finds a partner's payouts of one amount to one account.
create index concurrently payouts_equal on kelpie.payouts (equal_hash, id);
