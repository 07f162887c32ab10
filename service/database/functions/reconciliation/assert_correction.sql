-- Refuses a correction past what its case differs by, and of money that another correction has booked. Operator acts run one
-- after the other, by the audit log's lock, so nothing is posted between this and the posting.
--
-- What it moves at the bank stays within its case's difference, with its sign, together with what was booked for the case
-- before. A transfer's difference is part of its balance's, so both cases can be about the same money. Where the balance was
-- compared since the case was opened, all corrections since that comparison stay within what it found (KP416), and are all
-- of lines or all of the balance (KP417). Where it was not, a line is corrected only if no balance was since it was opened.
-- The partner gets no more out of suspense than is there (KP424).
-- Callers: everyone
create or replace function kelpie.assert_correction(of_case kelpie.cases, accounts kelpie.ledger_account[], amounts bigint[]) returns void
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
declare
  differs numeric := case when of_case.gone_at is null then coalesce(of_case.difference_micro_usdc, 0) else 0 end;
  is_line boolean := of_case.kind <> 'wallet_balance';
  change record;
  measured record;
  since_then record;
  booked numeric;
  in_suspense numeric;
begin
  select coalesce(sum(l.amount) filter (where l.account = 'bank_wallet'), 0) as at_bank,
    coalesce(sum(l.amount) filter (where l.account = 'suspense'), 0) as in_suspense,
    coalesce(sum(l.amount) filter (where l.account = 'wallet'), 0) as in_wallet
  into change from unnest(accounts, amounts) as l (account, amount);
  if change.at_bank <> 0 then
    select m.* into measured
    from kelpie.measured_difference(of_case.partner_id, of_case.environment, of_case.opened_at) m;
    select c.* into since_then
    from kelpie.corrected_at_bank(of_case.partner_id, of_case.environment, coalesce(measured.started_at, of_case.opened_at)) c;
    -- A balance is compared anew by each run, with all that was booked before. Of a line the correction is no part.
    booked := since_then.total;
    if is_line then
      select coalesce(sum(l.amount), 0) into booked from kelpie.ledger_entries l
      where l.account = 'bank_wallet' and l.partner_id = of_case.partner_id and l.environment = of_case.environment
        and l.cause_id = of_case.id;
    end if;
    if booked + change.at_bank not between least(differs, 0) and greatest(differs, 0) or (
      measured.difference is not null and since_then.total + change.at_bank
        not between least(measured.difference, 0) and greatest(measured.difference, 0)
    ) then
      raise exception 'more than the case or its balance differs by' using errcode = 'KP416';
    end if;
    if (case when is_line then since_then.of_balance else since_then.of_lines end) > 0 then
      raise exception 'the same money may be corrected already' using errcode = 'KP417';
    end if;
  end if;
  select coalesce(sum(l.amount), 0) into in_suspense from kelpie.booked_entries l
  where l.account = 'suspense' and l.partner_id = of_case.partner_id and l.environment = of_case.environment;
  if change.in_wallet < 0 and change.in_suspense > 0 and in_suspense + change.in_suspense > 0 then
    raise exception 'more than there is in suspense' using errcode = 'KP424';
  end if;
end;
$$;
