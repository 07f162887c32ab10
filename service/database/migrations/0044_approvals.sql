-- Payouts that a second admin has to approve: the rules of a partner's environment, and the requests (docs/approvals.md).

alter type kelpie.event_type add value 'payout_request.created' after 'payout.returned';
alter type kelpie.event_type add value 'payout_request.approved' after 'payout_request.created';
alter type kelpie.event_type add value 'payout_request.declined' after 'payout_request.approved';

create type kelpie.payout_request_state as enum ('open', 'approved', 'declined', 'expired');

-- Which payouts need a second admin. A change that loosens the rules waits in `pending_…` for another admin.
create table kelpie.approval_rules (
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- A payout of more than this needs approval; null where the amount alone asks for none.
  above_pence bigint check (above_pence between 0 and 10000000000),
  new_payee boolean not null,
  -- Keys all of whose payouts need approval.
  api_key_ids uuid[] not null,
  -- Who asked for a looser rule, and when. Null where nothing waits.
  pending_by text,
  pending_at timestamptz,
  pending_above_pence bigint check (pending_above_pence between 0 and 10000000000),
  pending_new_payee boolean,
  pending_api_key_ids uuid[],
  primary key (partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment),
  constraint approval_rules_keys check (
    cardinality(api_key_ids) <= 20 and array_position(api_key_ids, null) is null
    and cardinality(pending_api_key_ids) <= 20 and array_position(pending_api_key_ids, null) is null
  ),
  constraint approval_rules_pending check (
    num_nulls(pending_by, pending_at, pending_new_payee, pending_api_key_ids) in (0, 4)
    and (pending_by is not null or pending_above_pence is null)
  )
);
comment on table kelpie.approval_rules is '@bounded At most two rows per partner; none where no rule was ever set.';
select kelpie.protect_partner_table('approval_rules', service_may => 'select');
create policy payouts_all on kelpie.approval_rules to kelpie_payouts using (true) with check (true);
-- Only through functions: kelpie.set_approval_rules and kelpie.decide_approval_rules.
grant select on kelpie.approval_rules to kelpie_service, kelpie_reader;
grant select, insert, update on kelpie.approval_rules to kelpie_payouts;

-- A payout that waits for a second admin, and what was decided. It holds no money.
create table kelpie.payout_requests (
  id uuid primary key,
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- Of the payout that an approval creates.
  order_id uuid not null,
  idempotency_key text not null check (char_length(idempotency_key) between 8 and 100),
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  -- A keyed digest of the whole request: a row that was changed by hand is approved by nobody.
  digest bytea not null check (octet_length(digest) = 32),
  state kelpie.payout_request_state not null,
  reasons text[] not null check (cardinality(reasons) between 1 and 3 and reasons <@ '{amount,new_payee,key}'),
  amount_pence bigint not null check (amount_pence > 0),
  reference text,
  recipient_name text,
  account_last4 text,
  -- Until it is decided. A payout has its own.
  recipient_encrypted bytea,
  account_index bytea not null check (octet_length(account_index) = 32),
  requested_via text not null check (requested_via in ('api', 'dashboard')),
  -- The API key, or the session of the person.
  caller_id uuid not null,
  -- The prefix of the key, or the person's address.
  requested_by text not null,
  -- The person who may not approve it: who asked, or who created the key. Null for a key that was created before this was kept.
  requester text,
  expires_at timestamptz not null,
  -- Who approved it last, and when. The payout is created within a minute of it, or it is approved again.
  approved_by text,
  approved_at timestamptz,
  declined_by text,
  decided_at timestamptz,
  payout_id uuid,
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment),
  constraint payout_requests_second_person check (approved_by <> requester or approved_by = 'erased'),
  constraint payout_requests_approval check (num_nulls(approved_by, approved_at) in (0, 2)),
  constraint payout_requests_decided check (
    (state = 'open') = (decided_at is null)
    and (state = 'approved') = (payout_id is not null)
    and (state = 'declined') = (declined_by is not null)
    and (state <> 'approved' or approved_by is not null)
  ),
  -- What only the bank has to know is kept no longer than it takes to decide.
  constraint payout_requests_details check (
    case when state = 'open' then num_nulls(recipient_encrypted, recipient_name, account_last4) = 0
      else recipient_encrypted is null end
  )
);
comment on table kelpie.payout_requests is
  '@grows @kept-whole One row per payout that needed approval. A key has one open request at most; a job deletes old ones.';
create unique index payout_requests_open on kelpie.payout_requests (order_id) where state = 'open';
create index payout_requests_of_order on kelpie.payout_requests (order_id, id);
create index payout_requests_of_partner on kelpie.payout_requests (partner_id, environment, id);
create index payout_requests_to_expire on kelpie.payout_requests (expires_at) where state = 'open';
select kelpie.protect_partner_table('payout_requests', service_may => 'select');
create policy payouts_all on kelpie.payout_requests to kelpie_payouts using (true) with check (true);
create trigger legal_changes before insert or update on kelpie.payout_requests
  for each row execute function kelpie.refuse_illegal_request_change();
-- Only through functions of kelpie_payouts. Reports have no use for the recipient's details.
grant select on kelpie.payout_requests to kelpie_service, kelpie_reader;
grant select, insert, delete, update (
  state, recipient_name, account_last4, recipient_encrypted, requested_by, requester, approved_by, approved_at, declined_by,
  decided_at, payout_id
) on kelpie.payout_requests to kelpie_payouts;

-- The admin who created it, who approves no payout that it asks for. Null for one that was created before this was kept.
alter table kelpie.api_keys add column created_by text;
grant select (created_by) on kelpie.api_keys to kelpie_payouts, kelpie_reader;
-- kelpie.forget_member and kelpie.lift_key_limit.
grant select (created_by), update (created_by, full_limit_at) on kelpie.api_keys to kelpie_access;
