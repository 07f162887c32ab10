-- Who sent a top-up is erased after its time (docs/data-protection.md), by kelpie.erase_old_senders.
create policy payouts_erase on kelpie.deposits for update to kelpie_payouts using (true) with check (true);
grant select (id, sender_encrypted), update (sender_encrypted) on kelpie.deposits to kelpie_payouts;
