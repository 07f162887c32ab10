-- Posts a correction for an open case of one partner. It may touch the bank's wallet, suspense and the partner's wallet.
-- The revision is how many steps the case has had: a repeated act, or one that was decided on an older state, is refused.
-- Raises, so that no part of it stands: KP402 where the wallet does not cover it, KP409 for another revision, KP411 for a
-- closed case, and what assert_correction raises.
-- Locks: the case, then what post_transfers locks.
-- Owner: kelpie_payouts
-- Callers: kelpie_operator
create or replace function kelpie.operator_correct_case(
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
    raise exception 'a correction without an open case' using errcode = 'KP411';
  end if;
  if at_revision is distinct from (select count(*) from kelpie.case_history h where h.case_id = of_case) then
    raise exception 'the case is at another revision' using errcode = 'KP409';
  end if;
  if not (accounts <@ '{bank_wallet, suspense, wallet}'::kelpie.ledger_account[]) then
    raise exception 'a correction of another account' using errcode = 'check_violation';
  end if;
  perform kelpie.set_partner_context(found_case.partner_id, found_case.environment);
  perform kelpie.assert_correction(found_case, accounts, amounts);
  if exists (
    select from kelpie.post_transfers(
      transfer_ids, lines, array_fill(found_case.partner_id, array[cardinality(lines)]),
      array_fill(found_case.environment, array[cardinality(lines)]), accounts, amounts,
      array_fill('correction'::text, array[cardinality(lines)]), array_fill(of_case, array[cardinality(lines)])
    ) p where not p.posted
  ) then
    raise exception 'the wallet does not hold it' using errcode = 'KP402';
  end if;
  perform kelpie.record_case_act(of_case, at, 'corrected', new_reason, (select array_agg(distinct t) from unnest(transfer_ids) t));
end;
$$;
