-- Posts the entries of those payouts of a batch that are wanted: of their first transfers (`of_first`), of the others, or
-- of all where it is null. An entry names its payout by place, and so its partner: it can't name another's.
-- Returns what post_transfers returns.
-- Callers: kelpie_payouts
create or replace function kelpie.post_of_payouts(
  is_wanted boolean[],
  partner_ids uuid[],
  environments kelpie.environment[],
  payout_ids uuid[],
  entry_payouts integer[],
  entry_firsts boolean[],
  entry_transfers uuid[],
  entry_lines smallint[],
  entry_accounts kelpie.ledger_account[],
  entry_amounts bigint[],
  entry_reasons text[],
  of_first boolean
) returns table (transfer_id uuid, posted boolean, wallet_balance bigint)
  language plpgsql volatile
as $$
#variable_conflict use_column
begin
  return query
  select p.transfer_id, p.posted, p.wallet_balance
  from (
    select array_agg(entry.transfer_id) as transfers, array_agg(entry.line) as lines, array_agg(entry.account) as accounts,
      array_agg(entry.amount) as amounts, array_agg(entry.reason) as reasons, array_agg(partner_ids[entry.place]) as partners,
      array_agg(environments[entry.place]) as of_environments, array_agg(payout_ids[entry.place]) as causes
    from (
      select e.place, e.transfer_id, e.line, e.account, e.amount, e.reason
      from unnest(entry_payouts, entry_firsts, entry_transfers, entry_lines, entry_accounts, entry_amounts, entry_reasons)
        with ordinality as e (place, is_first, transfer_id, line, account, amount, reason, arrival)
      where is_wanted[e.place] and (of_first is null or e.is_first = of_first) order by e.arrival
    ) entry
    having count(*) > 0
  ) e
  cross join lateral kelpie.post_transfers(
    e.transfers, e.lines, e.partners, e.of_environments, e.accounts, e.amounts, e.reasons, e.causes
  ) p;
end;
$$;
