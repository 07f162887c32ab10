-- Operators are persons: each has a login of their own, which kelpie.operator_login reads. What frees money is proposed by
-- one of them and approved by another.

drop function if exists kelpie.require_operator(bytea);

create table kelpie.proposals (
  id uuid primary key,
  -- The act's own name and subject in the audit log.
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$' and octet_length(action) <= 60),
  subject text not null check (char_length(subject) between 1 and 200),
  -- What the subject's revision was when it was proposed; null where it has none.
  revision bigint check (revision >= 0),
  -- Parameters and reason, as JSON.
  detail text not null check (char_length(detail) between 2 and 3000 and jsonb_typeof(detail::jsonb) = 'object'),
  proposed_by text not null check (proposed_by ~ '^[A-Za-z0-9@._+-]{1,80}$'),
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  -- 'done': approved and performed, in one commit. 'refused': something had moved when another person approved it.
  outcome text check (outcome in ('done', 'rejected', 'withdrawn', 'refused')),
  decided_reason text check (char_length(decided_reason) between 1 and 500),
  -- The transaction that decided it: an act checks that its own did.
  decided_tx xid8,
  constraint proposals_expire check (expires_at = proposed_at + interval '24 hours'),
  constraint proposals_decided_whole check (num_nonnulls(decided_by, decided_at, outcome, decided_tx) in (0, 4)),
  -- The rule of two persons. Only who proposed an act can withdraw it, and nobody decides their own in another way.
  constraint proposals_two_persons check ((outcome = 'withdrawn') = (decided_by = proposed_by))
);
comment on table kelpie.proposals is '@grows @kept-whole @shared One row per proposal of an operator: a few a day.';
-- By what an act was done to: a case that is closed and a refund ask for it.
create index proposals_of_subject on kelpie.proposals (subject);
create index proposals_undecided on kelpie.proposals (proposed_at) where outcome is null;
create trigger decided_once before update or delete on kelpie.proposals
  for each row execute function kelpie.refuse_proposal_change();
create trigger never_emptied before truncate on kelpie.proposals for each statement execute function kelpie.refuse_change();
grant select on kelpie.proposals to kelpie_reader;
grant select (action, subject, outcome) on kelpie.proposals to kelpie_ledger;
grant select, insert, update (decided_by, decided_at, outcome, decided_reason, decided_tx) on kelpie.proposals to kelpie_payouts;

-- A correction needs a proposal, and closing a case says which act settled it. Their older forms would let one person do
-- either without.
drop function if exists kelpie.operator_correct_case(
  uuid, bigint, timestamptz, uuid[], smallint[], kelpie.ledger_account[], bigint[], text
);
drop function if exists kelpie.operator_close_case(uuid, timestamptz, text);
alter table kelpie.cases add column closed_act text;
-- The table is small: one row for each problem there ever was.
alter table kelpie.cases add constraint cases_closed_act_check check ( -- squawk-ignore adding-serial-primary-key-field, constraint-missing-not-valid
  closed_act is null or (closed_act in ('released', 'settled', 'adopted', 'corrected', 'none') and closed_at is not null)
);
grant update (closed_act) on kelpie.cases to kelpie_payouts;
-- What a run measured bounds what may be corrected.
grant select (run_id, partner_id, environment, ours_micro_usdc, bank_micro_usdc, in_flight_micro_usdc, finished_at)
  on kelpie.reconciled_environments to kelpie_payouts;
create policy payouts_see on kelpie.reconciled_environments for select to kelpie_payouts using (true);

-- A payout that was given up had its money back. Once two operators bind it to the bank's payment, its money is held again,
-- and can come back once more.
alter table kelpie.payout_refunds add column after_adoption boolean not null default false;
alter table kelpie.payout_refunds drop constraint payout_refunds_pkey;
-- The lock is short: one row for each refund there ever was.
alter table kelpie.payout_refunds add constraint payout_refunds_pkey primary key (payout_id, after_adoption); -- squawk-ignore adding-serial-primary-key-field, constraint-missing-not-valid
