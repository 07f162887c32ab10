-- Refuses a correction past what its case differs by. What it moves at the bank, together with what was booked for the case
-- before, stays within the difference and has its sign (KP416); the partner gets no more out of suspense than is there
-- (KP424). Operator acts run one after the other, by the audit log's lock, so nothing is posted between this and the posting.
-- Callers: everyone
create or replace function kelpie.assert_correction(of_case kelpie.cases, accounts kelpie.ledger_account[], amounts bigint[]) returns void
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
