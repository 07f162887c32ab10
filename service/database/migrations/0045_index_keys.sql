-- Digests of accounts and bodies under a newer index key (kelpie-admin encryption-keys rotate). The functions of kelpie_payouts
-- replace digests and what is bound to them, and nothing else of a row; triggers hold them to it (kelpie.is_key_rotation).
grant update (account_index, equal_hash) on kelpie.payouts to kelpie_payouts;
grant update (account_index) on kelpie.known_recipients to kelpie_payouts;
grant update (account_index) on kelpie.paid_accounts to kelpie_payouts;
