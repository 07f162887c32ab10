-- For retrieve_versions, which reads what several partners' events are about.
grant select on kelpie.payout_history to kelpie_payouts;
create policy payouts_see on kelpie.payout_history for select to kelpie_payouts using (true);
