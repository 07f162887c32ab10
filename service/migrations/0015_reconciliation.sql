-- Reconciliation: our books against the bank's records, run by run, and what a person has to look at.

-- What the books say that the bank keeps for a partner, all in all and for each cause, read from the index alone.
create index ledger_entries_at_bank on kelpie.ledger_entries (partner_id, environment, cause_id) -- squawk-ignore require-concurrent-index-creation
  include (transfer_id, amount) where account = 'bank_wallet';
-- What of it belongs to nobody yet: a few lines.
create index ledger_entries_in_suspense on kelpie.ledger_entries (partner_id, environment) -- squawk-ignore require-concurrent-index-creation
  include (amount) where account = 'suspense';

-- One row a run.
create table kelpie.reconciliations (
  id uuid primary key,
  -- Who asked for it: an operator's name, or the schedule.
  asked_by text not null check (char_length(asked_by) between 1 and 80),
  started_at timestamptz not null,
  -- What was final before this instant is compared, and nothing else.
  cut_off_at timestamptz not null check (cut_off_at <= started_at),
  -- Where only one partner was asked for, or only lines since an instant: such a run is no word on the rest.
  of_partner uuid references kelpie.partners (id),
  lines_from timestamptz check (lines_from < cut_off_at),
  finished_at timestamptz,
  -- 'incomplete' is a run that could not compare everything: that is no word on what it did not see.
  state text not null default 'running' check (state in ('running', 'clean', 'differences', 'incomplete')),
  check ((state = 'running') = (finished_at is null))
);
comment on table kelpie.reconciliations is '@grows @kept-whole @shared One row a run: one each working day, and those that were asked for.';
grant select, insert, update (finished_at, state) on kelpie.reconciliations to kelpie_service;
grant select on kelpie.reconciliations to kelpie_reader;

-- What a run found of one partner and environment.
create table kelpie.reconciled_sides (
  run_id uuid not null references kelpie.reconciliations (id),
  partner_id uuid not null,
  environment kelpie.environment not null,
  -- Lines from here up to the run's cut-off were compared; null where it was all there is.
  from_at timestamptz,
  transfers bigint not null check (transfers >= 0),
  deposits bigint not null check (deposits >= 0),
  -- Lines that were under way at the cut-off, on either side: no difference, and compared by a later run.
  in_flight bigint not null check (in_flight >= 0),
  -- What our books and the bank say that it keeps; and what of that is explained by what is under way. Null where the bank
  -- did not say, or it did not stand still for long enough.
  ours_micro_usdc bigint,
  bank_micro_usdc bigint,
  in_flight_micro_usdc bigint,
  differences bigint not null check (differences >= 0),
  -- Among them those whose cases an operator has closed.
  known bigint not null check (known >= 0),
  -- Why it is not whole; null where it is.
  trouble text check (char_length(trouble) between 1 and 200),
  -- Up to where all lines were compared, by this run or the last that could; null where none could yet.
  compared_upto timestamptz,
  finished_at timestamptz not null,
  primary key (run_id, partner_id, environment),
  foreign key (partner_id, environment) references kelpie.partner_environments (partner_id, environment)
);
comment on table kelpie.reconciled_sides is '@grows @kept-whole One row a run for each partner and environment at a bank.';
create index reconciled_sides_of_partner on kelpie.reconciled_sides (partner_id, environment, finished_at);
alter table kelpie.reconciled_sides enable row level security, force row level security;
create policy service_own on kelpie.reconciled_sides to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.reconciled_sides for select to kelpie_reader using (true);
grant select, insert on kelpie.reconciled_sides to kelpie_service;
grant select on kelpie.reconciled_sides to kelpie_reader;
create trigger insert_only before update or delete on kelpie.reconciled_sides
  for each row execute function kelpie.refuse_change();
create trigger never_emptied before truncate on kelpie.reconciled_sides
  for each statement execute function kelpie.refuse_change();

-- A case is of a payout that needs a person, as before; or of a difference that a reconciliation found.
alter table kelpie.cases alter column payout_id drop not null; -- squawk-ignore ban-drop-not-null
alter table kelpie.cases
  -- What a difference is about, by the bank's id of it: a transfer, a deposit, a wallet. Null for a case of a payout.
  add column subject text,
  -- The same in our books, where there is one.
  add column related_id uuid,
  -- What it comes to: the bank's figure less ours. Null where it is not about an amount.
  add column difference_micro_usdc bigint,
  -- How many runs saw it, and which was the last.
  add column seen bigint,
  add column last_run_id uuid,
  add column last_seen_at timestamptz,
  -- Since when it is no longer there; null while it is.
  add column gone_at timestamptz,
  add column closed_reason text;
alter table kelpie.cases
  add constraint cases_subject_check check (char_length(subject) between 1 and 200) not valid,
  add constraint cases_reason_check check (char_length(closed_reason) between 1 and 500) not valid,
  add constraint cases_origin_check check (
    (payout_id is null) = (subject is not null) and (subject is null) = (seen is null) and (seen is null) = (last_run_id is null)
    and (seen is null) = (last_seen_at is null) and (gone_at is null or subject is not null)
  ) not valid;
create unique index cases_whole on kelpie.cases (id, partner_id, environment); -- squawk-ignore require-concurrent-index-creation
-- The same difference is the same case, for as long as nobody has closed it.
create unique index cases_of_differences on kelpie.cases (partner_id, environment, kind, subject) -- squawk-ignore require-concurrent-index-creation
  where closed_at is null and subject is not null;
create index cases_by_subject on kelpie.cases (partner_id, environment, subject); -- squawk-ignore require-concurrent-index-creation
-- What was found may be seen again, or be gone. Who closes a case is an operator, by the function below.
grant update (detail, difference_micro_usdc, related_id, seen, last_run_id, last_seen_at, gone_at) on kelpie.cases to kelpie_service;

-- What happened to a case: rows are only added.
create table kelpie.case_history (
  case_id uuid not null,
  number integer not null check (number > 0), -- squawk-ignore prefer-bigint-over-int
  partner_id uuid not null,
  environment kelpie.environment not null,
  at timestamptz not null,
  what text not null check (what in ('opened', 'changed', 'gone', 'back', 'corrected', 'closed')),
  -- An operator, or the run that found it.
  by text not null check (char_length(by) between 1 and 80),
  detail text not null check (char_length(detail) <= 500),
  transfer_ids uuid[] not null default '{}',
  primary key (case_id, number),
  foreign key (case_id, partner_id, environment) references kelpie.cases (id, partner_id, environment)
);
comment on table kelpie.case_history is '@bounded A few rows a case.';
alter table kelpie.case_history enable row level security, force row level security;
create policy service_own on kelpie.case_history to kelpie_service
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment())
  with check (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
create policy reader_all on kelpie.case_history for select to kelpie_reader using (true);
create policy payouts_all on kelpie.case_history to kelpie_payouts using (true) with check (true);
grant select, insert on kelpie.case_history to kelpie_service;
grant select on kelpie.case_history to kelpie_reader;
grant select, insert on kelpie.case_history to kelpie_payouts;
create trigger insert_only before update or delete on kelpie.case_history
  for each row execute function kelpie.refuse_change();
create trigger never_emptied before truncate on kelpie.case_history
  for each statement execute function kelpie.refuse_change();

create policy payouts_all on kelpie.cases to kelpie_payouts using (true) with check (true);
grant select, update (closed_at, closed_by, closed_reason) on kelpie.cases to kelpie_payouts;
grant select (operator) on kelpie.audit_log to kelpie_payouts;
grant select (id, started_at) on kelpie.reconciliations to kelpie_payouts;
-- A correction is held against what was booked before.
create policy payouts_own on kelpie.ledger_entries for select to kelpie_payouts
  using (partner_id = kelpie.current_partner() and environment = kelpie.current_environment());
grant select on kelpie.ledger_entries to kelpie_payouts;

grant create on schema kelpie to kelpie_payouts;

-- Who is at a bank, with its wallet there; a page at a time.
create function kelpie.list_sides_to_reconcile(after_partner uuid, at_most integer)
  returns table (
    partner_id uuid, environment kelpie.environment, rail kelpie.rail, bank_customer_id text, bank_wallet_id text
  )
  language sql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
  select e.partner_id, e.environment, e.rail, e.bank_customer_id, e.bank_wallet_id
  from kelpie.partner_environments e
  where e.rail <> 'simulated' and e.partner_id in (
    select distinct p.partner_id from kelpie.partner_environments p
    where p.partner_id > after_partner and p.rail <> 'simulated' order by 1 limit least(at_most, 500)
  )
  order by e.partner_id, e.environment
$$;
revoke all on function kelpie.list_sides_to_reconcile(uuid, integer) from public;
grant execute on function kelpie.list_sides_to_reconcile(uuid, integer) to kelpie_service;
alter function kelpie.list_sides_to_reconcile(uuid, integer) owner to kelpie_payouts;

-- Who acts: whom the log's newest row names, which the act has just written.
create function kelpie.acting_operator() returns text
  language sql stable
  set search_path = pg_catalog, pg_temp
as $$
  select a.operator from kelpie.audit_log a where a.seq = (select h.seq from kelpie.audit_head h)
$$;

-- Adds to a case's history what that operator does.
create function kelpie.note_case_act(
  of_case uuid, at timestamptz, new_what text, new_detail text, new_transfer_ids uuid[]
) returns void
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
begin
  insert into kelpie.case_history (case_id, number, partner_id, environment, at, what, by, detail, transfer_ids)
  select c.id, 1 + (select count(*) from kelpie.case_history h where h.case_id = c.id), c.partner_id, c.environment,
    note_case_act.at, new_what, kelpie.acting_operator(), new_detail, new_transfer_ids
  from kelpie.cases c where c.id = of_case;
end;
$$;

-- Says false where there is no such case that is open.
create function kelpie.operator_close_case(of_case uuid, at timestamptz, new_reason text) returns boolean
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform kelpie.require_audit('case.close', of_case::text);
  update kelpie.cases c set closed_at = at, closed_by = kelpie.acting_operator(), closed_reason = new_reason
  where c.id = of_case and c.closed_at is null;
  if not found then
    return false;
  end if;
  perform kelpie.note_case_act(of_case, at, 'closed', new_reason, '{}');
  return true;
end;
$$;
revoke all on function kelpie.operator_close_case(uuid, timestamptz, text) from public;
grant execute on function kelpie.operator_close_case(uuid, timestamptz, text) to kelpie_operator;
alter function kelpie.operator_close_case(uuid, timestamptz, text) owner to kelpie_payouts;

-- Insists that what a correction moves at the bank stays within what the case says that it differs by, with what was booked for
-- it before, and of the same sign; and that nothing is given to the partner out of suspense that is not there. Acts of operators
-- come one after the other, by the log's lock, so nobody books between this and the posting.
create function kelpie.insist_on_correction(of_case kelpie.cases, accounts kelpie.ledger_account[], amounts bigint[]) returns void
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
declare
  differs numeric := case when of_case.gone_at is null then coalesce(of_case.difference_micro_usdc, 0) else 0 end;
  change record;
  booked numeric;
  in_suspense numeric;
begin
  select coalesce(sum(l.amount) filter (where l.account = 'bank_wallet'), 0) as at_bank,
    coalesce(sum(l.amount) filter (where l.account = 'suspense'), 0) as in_suspense,
    coalesce(sum(l.amount) filter (where l.account = 'wallet'), 0) as in_wallet
  into change from unnest(accounts, amounts) as l (account, amount);
  select coalesce(sum(l.amount), 0) into booked from kelpie.ledger_entries l
  where l.account = 'bank_wallet' and l.partner_id = of_case.partner_id and l.environment = of_case.environment
    and l.cause_id = of_case.id
    -- A balance is measured anew by each run, with all that was booked before. Of a line the correction is no part.
    and (of_case.kind <> 'wallet_balance' or l.transfer_id in (
      select unnest(h.transfer_ids) from kelpie.case_history h
      where h.case_id = of_case.id
        and h.at >= (select r.started_at from kelpie.reconciliations r where r.id = of_case.last_run_id)
    ));
  if change.at_bank <> 0 and booked + change.at_bank not between least(differs, 0) and greatest(differs, 0) then
    raise exception 'more than the case differs by' using errcode = 'KP416';
  end if;
  select coalesce(sum(l.amount), 0) into in_suspense from kelpie.ledger_entries l
  where l.account = 'suspense' and l.partner_id = of_case.partner_id and l.environment = of_case.environment;
  if change.in_wallet < 0 and change.in_suspense > 0 and in_suspense + change.in_suspense > 0 then
    raise exception 'more than there is in suspense' using errcode = 'KP424';
  end if;
end;
$$;

-- Books a correction for a case: the bank's wallet, what belongs to nobody yet, and the partner's wallet are all that it may
-- touch, for the case's own partner. The revision is how many steps the case has had: who repeats an act, or looked before
-- something else happened, is refused. What it refuses, it refuses by an error, so that no part of it stands: KP402 where the
-- wallet does not hold it, KP409 for another revision, KP416 and KP424 as above.
create function kelpie.operator_correct_case(
  of_case uuid, at_revision bigint, at timestamptz, transfer_ids uuid[], lines smallint[], accounts kelpie.ledger_account[],
  amounts bigint[], new_reason text
) returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  found_case kelpie.cases;
begin
  perform kelpie.require_audit('case.correct', of_case::text);
  select c.* into found_case from kelpie.cases c where c.id = of_case and c.closed_at is null for no key update;
  if not found then
    raise exception 'a correction without an open case' using errcode = 'KP410';
  end if;
  if at_revision is distinct from (select count(*) from kelpie.case_history h where h.case_id = of_case) then
    raise exception 'the case is at another revision' using errcode = 'KP409';
  end if;
  if not (accounts <@ '{bank_wallet, suspense, wallet}'::kelpie.ledger_account[]) then
    raise exception 'a correction of another account' using errcode = 'check_violation';
  end if;
  perform kelpie.enter(found_case.partner_id, found_case.environment);
  perform kelpie.insist_on_correction(found_case, accounts, amounts);
  if exists (
    select from kelpie.post_transfers(
      transfer_ids, lines, array_fill(found_case.partner_id, array[cardinality(lines)]),
      array_fill(found_case.environment, array[cardinality(lines)]), accounts, amounts,
      array_fill('correction'::text, array[cardinality(lines)]), array_fill(of_case, array[cardinality(lines)])
    ) p where not p.posted
  ) then
    raise exception 'the wallet does not hold it' using errcode = 'KP402';
  end if;
  perform kelpie.note_case_act(of_case, at, 'corrected', new_reason, (select array_agg(distinct t) from unnest(transfer_ids) t));
end;
$$;
revoke all on function kelpie.operator_correct_case(uuid, bigint, timestamptz, uuid[], smallint[], kelpie.ledger_account[], bigint[], text)
  from public;
grant execute on function kelpie.operator_correct_case(uuid, bigint, timestamptz, uuid[], smallint[], kelpie.ledger_account[], bigint[], text)
  to kelpie_operator;
alter function kelpie.operator_correct_case(uuid, bigint, timestamptz, uuid[], smallint[], kelpie.ledger_account[], bigint[], text)
  owner to kelpie_payouts;

revoke create on schema kelpie from kelpie_payouts;
