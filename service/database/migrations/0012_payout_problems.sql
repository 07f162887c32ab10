-- Emails about payouts that failed, were returned or are stuck, by a setting per person.

-- Null is the default of the role: admins are emailed, viewers are not.
alter table kelpie.members add column emails_live_problems boolean;
alter table kelpie.members add column emails_sandbox_problems boolean;
grant update (emails_live_problems, emails_sandbox_problems) on kelpie.members to kelpie_service;

-- What to email people about. apply_transitions writes a row in the commit that changes the payout, and
-- report_stuck_payouts one for each payout that stays open for too long.
create table kelpie.payout_problems (
  payout_id uuid not null,
  kind text not null check (kind in ('failed', 'returned', 'stuck')),
  partner_id uuid not null,
  environment kelpie.environment not null,
  at timestamptz not null,
  -- When an email named it, or nobody wanted one. Null while it waits for the next email.
  notified_at timestamptz,
  primary key (payout_id, kind),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.payout_problems is '@bounded Problems of the last 30 days: a job deletes older ones.';
create index payout_problems_waiting on kelpie.payout_problems (partner_id, environment) where notified_at is null;
create index payout_problems_notified on kelpie.payout_problems (partner_id, environment, notified_at);
select kelpie.protect_partner_table('payout_problems');
create policy payouts_all on kelpie.payout_problems to kelpie_payouts using (true) with check (true);
grant select, update (notified_at) on kelpie.payout_problems to kelpie_service;
grant select, insert, delete on kelpie.payout_problems to kelpie_payouts;
grant select on kelpie.payout_problems to kelpie_reader;
