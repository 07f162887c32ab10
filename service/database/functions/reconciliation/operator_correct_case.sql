-- Posts a correction for an open case of one partner, which one operator proposed and another approves: what is booked is
-- what the proposal says. It may touch the bank's wallet, suspense and the partner's wallet.
-- The revision is how many steps the case has had: an act that was decided on an older state is refused.
-- Raises, so that no part of it stands: KP402 where the wallet does not cover it, KP409 for another revision, KP411 for a
-- closed case, and what take_proposal and assert_correction raise.
-- Locks: the proposal, the case, then what post_transfers locks.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_correct_case(of_proposal uuid, of_case uuid, at timestamptz, transfer_ids uuid[])
  returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  proposal kelpie.proposals := kelpie.take_proposal(of_proposal, 'case.correct', of_case::text, at);
  book text := proposal.detail::jsonb ->> 'book';
  amount bigint := (proposal.detail::jsonb ->> 'amount_micro_usdc')::bigint;
  found_case kelpie.cases;
  transfers uuid[];
  numbers smallint[];
  accounts kelpie.ledger_account[];
  amounts bigint[];
begin
  select c.* into found_case from kelpie.cases c where c.id = of_case and c.closed_at is null for no key update;
  if not found then
    raise exception 'a correction without an open case' using errcode = 'KP411';
  end if;
  if proposal.revision is distinct from (select count(*) from kelpie.case_history h where h.case_id = of_case) then
    raise exception 'the case is at another revision' using errcode = 'KP409';
  end if;
  -- The last id is that of the transfer from suspense, where there are two.
  select array_agg(l.transfer order by l.place), array_agg(l.number order by l.place),
    array_agg(l.account order by l.place), array_agg(l.amount order by l.place)
  into transfers, numbers, accounts, amounts
  from (
    values (1, transfer_ids[1], 1::smallint, 'bank_wallet'::kelpie.ledger_account, amount),
      (2, transfer_ids[1], 2, 'suspense', -amount),
      (3, transfer_ids[cardinality(transfer_ids)], 1, 'suspense', amount),
      (4, transfer_ids[cardinality(transfer_ids)], 2, 'wallet', -amount)
  ) as l (place, transfer, number, account, amount)
  where (l.place <= 2 and book in ('bank-to-suspense', 'bank-to-wallet'))
    or (l.place > 2 and book in ('suspense-to-wallet', 'bank-to-wallet'));
  if transfers is null or cardinality(transfer_ids) <> cardinality(transfers) / 2 then
    raise exception 'a correction that books something else' using errcode = 'check_violation';
  end if;
  perform kelpie.set_partner_context(found_case.partner_id, found_case.environment);
  perform kelpie.assert_correction(found_case, accounts, amounts);
  if exists (
    select from kelpie.post_transfers(
      transfers, numbers, array_fill(found_case.partner_id, array[cardinality(transfers)]),
      array_fill(found_case.environment, array[cardinality(transfers)]), accounts, amounts,
      array_fill('correction'::text, array[cardinality(transfers)]), array_fill(of_case, array[cardinality(transfers)])
    ) p where not p.posted
  ) then
    raise exception 'the wallet does not hold it' using errcode = 'KP402';
  end if;
  perform kelpie.record_case_act(of_case, at, 'corrected', proposal.detail::jsonb ->> 'reason', transfer_ids);
end;
$$;
