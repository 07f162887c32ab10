-- Outside a transaction
-- Finds a partner's payouts of one amount to one account, by a hash of these four. Other partners pay that
-- account, too: an index without the partner would read theirs. suspect_duplicates compares the columns themselves.
create index concurrently payouts_equal on kelpie.payouts (
  hash_record_extended(row(partner_id, environment, account_index, amount_pence), 0), id
);
