-- Locks the wallets of a batch before its transfers are posted, for a caller that has more to judge than funds.
-- Guarantees: these balances change only by this transaction until commit.
-- Locks: wallets, in the order of their key, as post_transfers does.
-- Returns one row per wallet.
-- Owner: kelpie_ledger
-- Callers: kelpie_payouts
create or replace function kelpie.lock_wallets(partner_ids uuid[], environments kelpie.environment[])
  returns table (partner_id uuid, environment kelpie.environment, balance_micro_usdc bigint)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  -- Wallets are found by their keys, also on a connection that first saw few of them.
  set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
    select w.partner_id, w.environment, w.balance_micro_usdc
    from kelpie.wallets w
    where (w.partner_id, w.environment) in (
      select item.partner_id, item.environment from unnest(partner_ids, environments) as item (partner_id, environment)
    )
    order by w.partner_id, w.environment
    for no key update;
end;
$$;
