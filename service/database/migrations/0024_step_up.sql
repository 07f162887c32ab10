-- People confirm more than payouts by an emailed code, and two operators can give a partner its admin back.

comment on table kelpie.payout_confirmations is
  '@bounded @both-environments Codes for one live payout or one change of one person. At most five rows per hour and person, deleted with the session.';

-- Only through kelpie.operator_restore_member.
create policy payouts_restore on kelpie.members for insert to kelpie_payouts with check (role = 'admin');
create policy payouts_promote on kelpie.members for update to kelpie_payouts using (true) with check (role = 'admin');
grant insert (partner_id, email, role, created_at), update (role) on kelpie.members to kelpie_payouts;
