-- The part of post_transfers that keeps what each partner owes in step with the entries of partner_receivable.
-- Guarantees: no more is repaid than is owed.
-- Locks: debts, in the order of their key. Making and repaying a debt write payment blocks (kelpie.keep_debt_block).
-- Callers: kelpie_ledger
create or replace function kelpie.count_debts(
  transfer_ids uuid[],
  partner_ids uuid[],
  environments kelpie.environment[],
  accounts kelpie.ledger_account[],
  amounts bigint[],
  refused uuid[]
) returns void
  language plpgsql volatile
as $$
declare
  change record;
begin
  for change in
    select e.partner_id, e.environment, sum(e.amount)::bigint as by_micro_usdc, max(kelpie.instant_of(e.transfer_id)) as at
    from unnest(transfer_ids, partner_ids, environments, accounts, amounts)
      as e (transfer_id, partner_id, environment, account, amount)
    where e.account = 'partner_receivable' and e.transfer_id <> all (refused)
    group by e.partner_id, e.environment order by e.partner_id, e.environment
  loop
    update kelpie.debts d
    set owed_micro_usdc = d.owed_micro_usdc + change.by_micro_usdc, changed_at = change.at
    where d.partner_id = change.partner_id and d.environment = change.environment;
    if not found then
      insert into kelpie.debts (partner_id, environment, owed_micro_usdc, changed_at)
      values (change.partner_id, change.environment, change.by_micro_usdc, change.at);
    end if;
  end loop;
end;
$$;
